"""The console script: what it says without a command, and how it ends."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import assayer as package
from assayer.console import FILE_COMMANDS, MODULES
from tests.assayer.commands.files.running import assayer

ROOT = Path(__file__).resolve().parents[2]
# tests that run in the background of a shell have children that ignore interrupts
INTERRUPTIBLE = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
MAIN = "import sys; from assayer.console import main; sys.exit(main())"
SCRIPT = [sys.executable, "-c", f"{INTERRUPTIBLE}; {MAIN}"]


def started(*words: str, **options: object) -> subprocess.Popen[str]:
    """The script as a process of its own."""
    return subprocess.Popen(
        [*SCRIPT, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_help_names_all_commands_and_version_is_that_of_the_tree():
    text = assayer("--help").stdout
    assert all(f"  {name} " in text for name in MODULES) and text.index("on files:") > 0
    assert assayer("--version").stdout == f"assayer {(ROOT / 'VERSION').read_text().strip()}\n"


@pytest.mark.parametrize("name", FILE_COMMANDS)
def test_each_command_has_a_help_of_its_own(name):
    answer = assayer(name, "--help")
    assert answer.status == 0 and answer.stdout.startswith(f"usage: assayer {name} ")


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        ([], 2, "COMMAND"),
        (["evaluat"], 2, "invalid choice: 'evaluat'"),
        (["agreement"], 2, "the following arguments are required"),
        (["plan", "scores", "--power", "7"], 2, "7 is not between 0 and 1"),
        (["agreement", "no file", "--level", "nominal"], 1, "no file: No such file"),
        (["plan", "no file"], 1, "assayer plan: no file: No such file or directory."),
        (["compare", "no file"], 1, "assayer compare: no file: No such file or directory."),
        (["progress", "--watch", "0", "--collection", "study"], 2, "0 is not above 0"),
        (["progress", "--watch", "nan", "--collection", "study"], 2, "nan is not above 0"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_refusal_with_1(words, status, sentence):
    answer = assayer(*words)
    assert (answer.status, answer.stdout) == (status, "")
    assert sentence in answer.stderr and "Traceback" not in answer.stderr


def test_a_remark_comes_after_what_was_printed_before_it(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 a 1\nq1 0 b 0\n")
    (tmp_path / "run").write_text("q1 Q0 a 1 1 x\n")
    (tmp_path / "broken").write_text("q1 Q0 a\n")
    paths = [str(tmp_path / name) for name in ("run", "broken")]
    with open(tmp_path / "output", "w") as output:
        command = [*SCRIPT, "evaluate", *paths, "--qrels", str(tmp_path / "qrels")]
        subprocess.run(command, cwd=ROOT, stdout=output, stderr=output, check=False)
    lines = (tmp_path / "output").read_text().splitlines()
    assert lines[0] == "runid\tall\tx" and lines[-1].startswith("assayer evaluate: ")


def test_who_reads_no_further_sees_no_traceback(tmp_path):
    (tmp_path / "items.csv").write_text("id,cat\n" + "".join(f"i{n},1\n" for n in range(300)))
    process = started("plausible", str(tmp_path / "items.csv"))
    assert process.stdout.readline() == "i0 0 i0 3\n"
    process.stdout.close()
    assert (process.stderr.read(), process.wait()) == ("", 141)


def test_a_full_disk_ends_it_with_a_sentence(tmp_path):
    (tmp_path / "items.csv").write_text("id,cat\ni0,1\n")
    with open("/dev/full", "w") as full:
        command = [*SCRIPT, "plausible", str(tmp_path / "items.csv")]
        ended = subprocess.run(
            command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.stderr == "assayer plausible: No space left on device.\n"
    assert ended.returncode == 1


def test_agreement_tells_of_its_other_options():
    assert "agreement --collection SLUG, with --help" in " ".join(
        assayer("agreement", "--help").stdout.split()
    )


def test_names_that_are_not_loaded_yet_are_found():
    assert "Client" in dir(package)
    assert package.__version__ == (ROOT / "VERSION").read_text().strip()


def test_an_interrupt_ends_it_with_one_word(tmp_path):
    (tmp_path / "items.csv").write_text("id,cat\n" + "".join(f"i{n},1\n" for n in range(300)))
    process = started("plausible", str(tmp_path / "items.csv"))
    assert process.stdout.readline()  # the rest is more than a pipe holds: it waits for a reader
    process.send_signal(signal.SIGINT)
    assert (process.communicate()[1], process.returncode) == ("Stopped.\n", 130)
