        .file   "program.c"
        .text
        .section        .rodata.str1.1,"aMS",@progbits,1
.LC0:
        .string "LOUD"
        .text
        .type   shout, @function
shout:
        pushq   %r12
        pushq   %rbp
        pushq   %rbx
        subq    $32, %rsp
        movq    %rdi, %rbx
        movq    %rsi, %rbp
        movq    %rdx, %r12
        movq    $0, 24(%rsp)
        leaq    .LC0(%rip), %rdi
        call    restway_value_string@PLT
        movq    %rax, (%rsp)
        movq    %rdx, 8(%rsp)
        addl    $1, (%rbx)
        movl    0(%rbp), %eax
        testl   %eax, %eax
        jne     .L4
.L1:
        addq    $32, %rsp
        popq    %rbx
        popq    %rbp
        popq    %r12
        ret
.L4:
        leaq    24(%rsp), %rdx
        movq    %rsp, %rsi
        movq    %r12, %rdi
        call    restway_answer_set_value@PLT
        jmp     .L1
        .size   shout, .-shout
        .section        .rodata.str1.1
.LC1:
        .string "%s: %s\n"
        .text
        .type   expect, @function
expect:
        testl   %edi, %edi
        jne     .L10
        ret
.L10:
        pushq   %rbp
        pushq   %rbx
        subq    $8, %rsp
        movl    %edi, %ebx
        movq    %rsi, %rdi
        call    restway_error_message@PLT
        movq    %rax, %rbp
        movl    %ebx, %edi
        call    restway_status_name@PLT
        movq    %rax, %rsi
        movq    %rbp, %rdx
        leaq    .LC1(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        movl    $1, %edi
        call    exit@PLT
        .size   expect, .-expect
        .section        .rodata.str1.1
.LC2:
        .string "some time"
.LC3:
        .string "no time"
.LC4:
        .string "shout"
.LC5:
        .string "name"
.LC6:
        .string "shouted"
.LC7:
        .string "Enterprise"
.LC8:
        .string "enterprises"
.LC9:
        .string "GET"
.LC10:
        .string "per_page"
        .section        .rodata.str1.8,"aMS",@progbits,1
        .align 8
.LC11:
        .string "event %u, status %u, token %d\n"
        .section        .rodata.str1.1
.LC12:
        .string "itemID"
.LC13:
        .string "%ld %.4s\n"
.LC14:
        .string "took %s\n"
.LC15:
        .string "%d transforms\n"
.LC16:
        .string "%ld handles\n"
        .text
        .globl  main
        .type   main, @function
main:
        pushq   %r15
        pushq   %r14
        pushq   %r13
        pushq   %r12
        pushq   %rbp
        pushq   %rbx
        subq    $520, %rsp
        movl    %edi, %ebp
        movq    %rsi, %rbx
        leaq    280(%rsp), %rdi
        movl    $29, %ecx
        movl    $0, %eax
        rep stosq
        movq    $240, 272(%rsp)
        pxor    %xmm0, %xmm0
        movups  %xmm0, 184(%rsp)
        movups  %xmm0, 200(%rsp)
        movups  %xmm0, 216(%rsp)
        movups  %xmm0, 232(%rsp)
        movups  %xmm0, 248(%rsp)
        movq    $88, 176(%rsp)
        movl    $5, %edi
        call    restway_value_int64@PLT
        movq    %rax, 160(%rsp)
        movq    %rdx, 168(%rsp)
        movq    $0, 56(%rsp)
        movq    $0, 48(%rsp)
        movq    $0, 40(%rsp)
        movq    $0, 32(%rsp)
        movq    $0, 24(%rsp)
        movl    $0, 20(%rsp)
        movl    $2, %eax
        cmpl    $3, %ebp
        je      .L23
.L11:
        addq    $520, %rsp
        popq    %rbx
        popq    %rbp
        popq    %r12
        popq    %r13
        popq    %r14
        popq    %r15
        ret
.L23:
        leaq    32(%rsp), %r12
        leaq    56(%rsp), %rsi
        movq    8(%rbx), %rdi
        movq    %r12, %rdx
        call    restway_api_load_file@PLT
        movl    %eax, %edi
        movl    $0, %esi
        call    expect
        movq    32(%rsp), %r13
        subq    $8, %rsp
        pushq   %r12
        movl    $0, %r9d
        leaq    36(%rsp), %r8
        movl    $0, %ecx
        leaq    shout(%rip), %rdx
        leaq    .LC4(%rip), %r14
        movq    %r14, %rsi
        movq    72(%rsp), %rdi
        call    restway_api_add_transform@PLT
        movl    %eax, %edi
        movq    %r13, %rsi
        call    expect
        movq    48(%rsp), %r13
        pushq   %r12
        pushq   %r14
        movl    $0, %r9d
        movl    $4, %r8d
        leaq    .LC5(%rip), %rcx
        leaq    .LC6(%rip), %rdx
        leaq    .LC7(%rip), %rsi
        movq    88(%rsp), %rdi
        call    restway_api_add_attribute@PLT
        movl    %eax, %edi
        addq    $32, %rsp
        movq    %r13, %rsi
        call    expect
        movq    16(%rbx), %rax
        movq    %rax, 288(%rsp)
        movl    $2, 304(%rsp)
        movl    $2, 360(%rsp)
        movq    $0, 496(%rsp)
        movq    32(%rsp), %rbx
        leaq    48(%rsp), %rdx
        leaq    272(%rsp), %rsi
        movq    %r12, %rcx
        movq    56(%rsp), %rdi
        call    restway_client_create@PLT
        movl    %eax, %edi
        movq    %rbx, %rsi
        call    expect
        movq    56(%rsp), %rdi
        call    restway_api_release@PLT
        movq    32(%rsp), %rbx
        leaq    40(%rsp), %rdx
        movq    %r12, %rcx
        leaq    .LC8(%rip), %rsi
        leaq    .LC9(%rip), %rdi
        call    restway_request_create@PLT
        movl    %eax, %edi
        movq    %rbx, %rsi
        call    expect
        movq    32(%rsp), %r13
        leaq    160(%rsp), %rbx
        movq    %r12, %rcx
        movq    %rbx, %rdx
        leaq    .LC10(%rip), %rsi
        movq    40(%rsp), %rdi
        call    restway_request_set_parameter@PLT
        movl    %eax, %edi
        movq    %r13, %rsi
        call    expect
        movq    32(%rsp), %r13
        subq    $8, %rsp
        pushq   %r12
        movl    $0, %r9d
        movl    $0, %r8d
        movq    %rbx, %rcx
        movl    $0, %edx
        movq    56(%rsp), %rsi
        movq    64(%rsp), %rdi
        call    restway_client_send@PLT
        movl    %eax, %edi
        movq    %r13, %rsi
        call    expect
        addq    $16, %rsp
        cmpq    $0, 24(%rsp)
        jne     .L13
        leaq    12(%rsp), %rbx
.L15:
        movq    48(%rsp), %rdi
        call    restway_client_descriptor@PLT
        movl    %eax, 12(%rsp)
        movw    $1, 16(%rsp)
        movw    $0, 18(%rsp)
        movl    $60000, %edx
        movl    $1, %esi
        movq    %rbx, %rdi
        call    poll@PLT
        testl   %eax, %eax
        jle     .L24
        movq    32(%rsp), %r12
        leaq    24(%rsp), %rcx
        leaq    96(%rsp), %rsi
        leaq    32(%rsp), %r8
        movl    $1, %edx
        movq    48(%rsp), %rdi
        call    restway_client_drain@PLT
        movl    %eax, %edi
        movq    %r12, %rsi
        call    expect
        cmpq    $0, 24(%rsp)
        je      .L15
.L13:
        leaq    160(%rsp), %rax
        cmpq    %rax, 104(%rsp)
        sete    %cl
        movzbl  %cl, %ecx
        movl    100(%rsp), %edx
        movl    96(%rsp), %esi
        leaq    .LC11(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        movl    $0, %ebp
        leaq    .LC12(%rip), %r15
        leaq    .LC6(%rip), %r14
        leaq    32(%rsp), %r13
.L16:
        movq    120(%rsp), %rdi
        call    restway_response_object_count@PLT
        cmpq    %rax, %rbp
        jnb     .L25
        movq    %rbp, %rsi
        movq    120(%rsp), %rdi
        call    restway_response_object@PLT
        movq    %rax, %rbx
        movq    %r15, %rsi
        movq    %rax, %rdi
        call    restway_object_attribute_index@PLT
        movl    %eax, 12(%rsp)
        movq    %r14, %rsi
        movq    %rbx, %rdi
        call    restway_object_attribute_index@PLT
        movl    %eax, 16(%rsp)
        movq    32(%rsp), %r12
        leaq    64(%rsp), %rcx
        leaq    12(%rsp), %rsi
        movq    %r13, %r8
        movl    $2, %edx
        movq    %rbx, %rdi
        call    restway_object_read@PLT
        movl    %eax, %edi
        movq    %r12, %rsi
        call    expect
        movq    88(%rsp), %rdx
        movq    72(%rsp), %rsi
        leaq    .LC13(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        addq    $1, %rbp
        jmp     .L16
.L24:
        movl    %ebp, %eax
        jmp     .L11
.L25:
        movq    32(%rsp), %rbx
        leaq    32(%rsp), %rdx
        leaq    176(%rsp), %rsi
        movq    120(%rsp), %rdi
        call    restway_response_timings@PLT
        movl    %eax, %edi
        movq    %rbx, %rsi
        call    expect
        cmpq    $0, 248(%rsp)
        leaq    .LC3(%rip), %rsi
        leaq    .LC2(%rip), %rax
        cmovg   %rax, %rsi
        leaq    .LC14(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        movl    20(%rsp), %esi
        leaq    .LC15(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        leaq    96(%rsp), %rdi
        call    restway_event_release@PLT
        movq    40(%rsp), %rdi
        call    restway_request_release@PLT
        movq    48(%rsp), %rdi
        call    restway_client_release@PLT
        call    restway_debug_live_handles@PLT
        movq    %rax, %rsi
        leaq    .LC16(%rip), %rdi
        movl    $0, %eax
        call    printf@PLT
        movl    $0, %eax
        jmp     .L11
        .size   main, .-main
        .ident  "GCC: (Debian 12.2.0-14+deb12u1) 12.2.0"
        .section        .note.GNU-stack,"",@progbits
