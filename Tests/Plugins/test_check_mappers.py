"""restway-plugin-check finds the faults of a bad mapper, with the right check and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from checker import Ahead, Report, check, check_all, compile_bad, failed_of, faults_of, selected

#: The checks that fail, and words of the reason of the first check.
FINDINGS: dict[str, tuple[set[str], str]] = {
    "PUSHES_NOTHING": ({"mapper.events"}, "nothing is pushed"),
    "PUSHES_TWICE": ({"mapper.events"}, "after the value, which is complete"),
    "LEAVES_OPEN": ({"mapper.events"}, "the value is not completed"),
    "ENDS_WRONGLY": ({"mapper.events"}, "end_object, comes where no object is open"),
    "KEY_IN_ARRAY": ({"mapper.events"}, "key, comes outside an object"),
    "VALUE_WITHOUT_KEY": ({"mapper.events"}, "in an object, without a key"),
    "TWO_KEYS": ({"mapper.events"}, "key, comes after another key, whose value is missing"),
    "COUNTS_WRONG": ({"mapper.events"}, "announces 5 elements, but has 4"),
    "TEXT_IS_NO_UTF8": ({"mapper.events"}, "a text that is not UTF-8"),
    "IGNORES_SKIP_OF_KEY": ({"mapper.skip"}, "after SKIP for event 1, key"),
    "IGNORES_SKIP_OF_BEGIN": ({"mapper.skip"}, "after SKIP for event 0, begin_object"),
    "ENDS_WHAT_IS_SKIPPED": ({"mapper.skip"}, "event 1, end_object"),
    "IGNORES_STOP": ({"mapper.stop"}, "more events after STOP for event 0"),
    "FAILS_AT_STOP": ({"mapper.stop"}, "returns FAILED after STOP"),
    "IGNORES_DEPTH": ({"mapper.depth"}, "OK instead of TOO_DEEP"),
    "IGNORES_DEPTH_OF_SKIPPED": ({"mapper.depth"}, "all is answered SKIP: OK instead of TOO_DEEP"),
    "REFUSES_SAMPLES": ({"mapper.samples"}, "is not read: FAILED (not tiny)"),
    # The bytes after a body get into texts; the noise after a body is not UTF-8.
    "READS_ON": ({"mapper.truncated", "mapper.garbage"}, "depends on the bytes after them"),
    "READS_PAST_PADDING": ({"mapper.bounds"}, "reading more than 64 bytes after the body"),
    "READS_BEFORE": ({"mapper.bounds"}, "reading before the body"),
    "WRITES_INTO_BODY": ({"mapper.bounds"}, "writing into the body"),
    "CRASHES_ON_NOISE": ({"mapper.garbage", "mapper.reasons"}, "crashes: Aborted; while it reads"),
    "HANGS_ON_NOISE": ({"mapper.garbage", "mapper.reasons"}, "does not finish within 3 s"),
    "EXITS_ON_NOISE": ({"mapper.garbage", "mapper.reasons"}, "ends the process, with status 3"),
    "ACCEPTS_HALF": ({"mapper.truncated", "mapper.garbage"}, "nothing is pushed"),
    "REFUSES_LARGE": ({"mapper.sizes"}, "is not read: FAILED"),
    "QUOTES_BODY": ({"mapper.reasons"}, "the reason quotes the body"),
    "REASON_IS_NO_UTF8": ({"mapper.reasons"}, "the reason is not UTF-8"),
    "REASON_WITHOUT_END": ({"mapper.reasons"}, "the reason does not end"),
    "ODD_RESULT": ({"mapper.reasons"}, "the result 42 has no meaning"),
    "ODD_PLACE": ({"mapper.reasons"}, "is not within its"),
    "WRITES_BEHIND_REASON": ({"mapper.tables"}, "using memory after the reason"),
    "READS_BEHIND_SINK": ({"mapper.tables"}, "using memory after the sink's table"),
    "PUSHES_FROM_THREAD": ({"mapper.thread"}, "pushes from another thread"),
    "PUSHES_LATE": ({"mapper.late"}, "pushed after decode has returned"),
    "PUSHES_LATE_FROM_THREAD": ({"mapper.late"}, "1 events are pushed after decode has returned"),
    "DEPENDS_ON_ADDRESS": ({"mapper.repeat"}, "event 0 is null_value instead of begin_object"),
    "IS_NOT_THREAD_SAFE": ({"mapper.concurrent"}, "read by 8 threads at once"),
    "SHARES_ITS_WRITER": ({"mapper.concurrent"}, "written by 8 threads at once"),
    "LEAKS_MEMORY": ({"mapper.memory"}, "memory grows by"),
    "LEAKS_DESCRIPTORS": ({"mapper.descriptors"}, "more descriptors are open after 64 rounds"),
    # Each thread has some memory of its own.
    "LEAKS_THREADS": ({"mapper.threads", "mapper.memory"}, "more threads run after 64 rounds"),
    "CRASHES_AT_EXIT": ({"plugin.exit"}, "crashes: Aborted; while the process ends"),
    "HANGS_AT_EXIT": ({"plugin.exit"}, "does not finish within 3 s; while the process ends"),
    "READS_BEHIND_END": ({"encode.order"}, "asks for 1 more steps after the end"),
    "STOPS_BEFORE_END": (
        {"encode.order", "encode.trip"}, "returns OK before the end of the value",
    ),
    "READS_ON_AFTER_FAILURE": ({"encode.errors"}, "goes on after call 0 of next failed"),
    "HIDES_FAILURE_OF_NEXT": ({"encode.errors"}, "returns FAILED after call 0 of next failed"),
    "HIDES_FAILURE_OF_WRITE": ({"encode.errors"}, "returns FAILED after call 0 of write failed"),
    "KEEPS_TEXT": ({"encode.trip"}, "is not read"),
    "WRITES_OTHER_NUMBERS": ({"encode.trip"}, "step 3 was read back as another integer"),
    "WRITES_AGAIN_OTHERWISE": (
        {"encode.again"}, "a date, read back and written again, has other bytes",
    ),
    "READS_FROM_THREAD": ({"encode.order"}, "calls the reader from another thread"),
    "WRITES_LATE": ({"encode.order"}, "calls of the reader after encode has returned"),
}

#: If these checks fail, the other checks of the mapper are skipped.
BASIC = {"mapper.samples", "mapper.events"}


@pytest.fixture(name="samples", scope="module")
def _samples(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    texts = [
        '{id 7 name "acme" owner {id 2 tags ["a" "b" [] {}]} list [{id 1} {id 2} 3]}',
        '[1 2 "x" {a 1} -5]', '"acme corp"',
    ]
    words = []
    for number, text in enumerate(texts):
        path = tmp_path_factory.mktemp("samples") / f"{number}.tiny"
        path.write_text(text)
        words += ["--sample", str(path)]
    return words


def test_every_fault_is_expected_here() -> None:
    assert faults_of("mapper.c") == {"NONE", *FINDINGS}


def test_a_mapper_without_fault_passes(tmp_path: Path, samples: list[str]) -> None:
    report = check(compile_bad("mapper.c", tmp_path / "tiny.so"), *samples)
    assert report.status == 0
    assert report.name == "tiny"
    skipped = {name for name, _, result, _ in report.results if result == "skipped"}
    assert skipped == {f"options.{name}" for name in ("accepted", "unknown", "types")}
    assert ("mapper.skip", "tiny", "ok", "") in report.results


@pytest.fixture(name="found", scope="module")
def _found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, samples: list[str]
) -> Iterator[Ahead]:
    folder = tmp_path_factory.mktemp("mappers")

    def find(fault: str) -> list[Report]:
        plugin = compile_bad("mapper.c", folder / f"{fault}.so", f"-DFAULT={fault}")
        return check_all(plugin, FINDINGS[fault][0], "HANGS" in fault, *samples)

    found = Ahead(find, selected(request, "test_a_fault_is_found"))
    yield found
    found.end()


@pytest.mark.parametrize("fault", FINDINGS)
def test_a_fault_is_found(fault: str, found: Ahead) -> None:
    expected, words = FINDINGS[fault]
    reports = found(fault)
    failed = failed_of(reports)
    assert set(failed) == expected
    assert any(words in why for why in failed.values()), failed
    left_out = [name for report in reports for name, _, result, _ in report.results
                if result == "skipped"]
    assert ("mapper.skip" in left_out) == bool(expected & BASIC)
