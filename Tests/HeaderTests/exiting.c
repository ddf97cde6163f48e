/* Exits in one of several states, and prints whether the library's I/O thread had ended when the
 * exit handlers ran that were registered before it started.
 *
 * Arguments: the API document, the base URL, and the state before the exit.
 */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <restway/restway.h>

static restway_client *late_client;

/* The kernel's flag of a task that has begun to exit (PF_EXITING of include/linux/sched.h). */
#define TASK_IS_EXITING 0x4UL

/* Whether the task is named `restway-io` and still runs code. pthread_join returns shortly before
 * the kernel takes the joined thread out of the list of tasks, so a task that is exiting has ended.
 * proc(5) gives the fields of `stat`: number, name in brackets, state, five numbers, flags.
 */
static int is_running_io_thread(const char *task) {
    char path[300];
    char stat[1024] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", task);
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }
    size_t length = fread(stat, 1, sizeof stat - 1, file);
    fclose(file);
    stat[length] = '\0';
    const char *rest = strrchr(stat, ')');
    unsigned long flags = 0;
    return rest != NULL && strstr(stat, "(restway-io)") != NULL &&
           sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 &&
           (flags & TASK_IS_EXITING) == 0;
}

static int io_thread_count(void) {
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task = readdir(tasks); task != NULL; task = readdir(tasks)) {
        count += is_running_io_thread(task->d_name);
    }
    closedir(tasks);
    return count;
}

static restway_status ask(restway_client *client) {
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_status status = restway_request_create("GET", "enterprises", &request, &error);
    if (status == RESTWAY_OK) {
        status = restway_client_perform(client, request, 60000, &response, &error);
    }
    if (error != NULL) {
        printf("%s\n", restway_error_message(error));
    }
    restway_response_release(response);
    restway_error_release(error);
    restway_request_release(request);
    return status;
}

static void look(void) {
    printf("threads: %d\n", io_thread_count());
    if (late_client != NULL) {
        printf("late: %d\n", (int)ask(late_client));
        restway_client_release(late_client);
    }
}

static void completed(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    (void)context;
    (void)call;
    (void)response;
    (void)error;
    printf("completed: %d\n", (int)status);
}

static void *exit_here(void *unused) {
    (void)unused;
    exit(3);
}

static void start(restway_client *client) {
    restway_request *request = NULL;
    restway_call *call = NULL;
    if (restway_request_create("GET", "enterprises", &request, NULL) != RESTWAY_OK ||
        restway_client_send(client, request, completed, NULL, NULL, &call, NULL) != RESTWAY_OK) {
        exit(9);
    }
    restway_request_release(request);
    restway_call_release(call);
}

int main(int argument_count, char **arguments) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    if (argument_count != 4 || atexit(look) != 0) {
        return 9;
    }
    const char *what = arguments[3];
    options.base_url = arguments[2];
    if (restway_api_load_file(arguments[1], &api, NULL) != RESTWAY_OK ||
        restway_client_create(api, &options, &client, NULL) != RESTWAY_OK) {
        return 9;
    }
    restway_api_release(api);
    if (strcmp(what, "closing") == 0) {
        ask(client);
        restway_client_release(client);
    } else if (strcmp(what, "in flight") == 0) {
        start(client);
    } else if (strcmp(what, "used later") == 0) {
        ask(client);
        late_client = client;
    } else if (strcmp(what, "other thread") == 0) {
        pthread_t thread;
        start(client);
        pthread_create(&thread, NULL, exit_here, NULL);
        pthread_join(thread, NULL);
    }
    return 3;
}
