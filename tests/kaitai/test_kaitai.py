"""Parsers that Kaitai Struct generates from our descriptions read every vector exactly, in three languages."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from cobs import cobs

from docs._print import DOCS, kaitai

HERE = Path(__file__).parent
TOOLS = HERE.parents[1] / "build" / "kaitai"
FILES = [DOCS / "tdp.ksy", DOCS / "dialects" / "angel-eye.ksy", DOCS / "dialects" / "bee-tek.ksy"]
DATA = json.loads((DOCS / "protocol.json").read_text(encoding="utf-8"))
TDP = json.loads((DOCS / "protocol-vectors.json").read_text(encoding="utf-8"))
ANGEL_EYE = json.loads((DOCS / "dialects" / "angel-eye-vectors.json").read_text(encoding="utf-8"))
BEE_TEK = json.loads((DOCS / "dialects" / "bee-tek-vectors.json").read_text(encoding="utf-8"))
PAGE = (DOCS / "protocol-data.md").read_text(encoding="utf-8")
OTHERS = ["cpp_stl", "csharp", "go", "java", "lua", "perl", "php"]
LANGUAGES = ["python", "javascript", "ruby"]
Case = tuple[str, str]
"""A class and the bytes to read, as hex."""


class Reader:
    """Results of a language's parsers, compiled into a folder, for given cases."""

    def __init__(self, language: str, folder: Path) -> None:
        self.language = language
        self.folder = folder

    def __call__(self, cases: Iterable[Case]) -> list[dict[str, Any]]:
        given = "".join(json.dumps(case) + "\n" for case in cases)
        if self.language == "javascript":
            out = node(HERE / "read.js", self.folder, given=given)
        else:
            program = {"python": [sys.executable, HERE / "read.py"], "ruby": ["ruby", HERE / "read.rb"]}[self.language]
            ran = subprocess.run([*program, self.folder], input=given, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr
            out = ran.stdout
        return [json.loads(line) for line in out.splitlines()]


def test_the_descriptions_are_fresh() -> None:
    for path, text in kaitai.pages().items():
        assert (DOCS / path).read_text(encoding="utf-8") == text, "run make docs"


def node(*arguments: object, given: str = "") -> str:
    ran = run_node(*arguments, given=given)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def run_node(*arguments: object, given: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", *map(str, arguments)], input=given, capture_output=True, text=True, check=False, cwd=TOOLS,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "NODE_PATH": str(TOOLS / "node_modules")},
    )  # fmt: skip


def needs_compiler() -> None:
    if shutil.which("node") is None or not (TOOLS / "node_modules" / "kaitai-struct-compiler").exists():
        pytest.skip("no node, or no Kaitai Struct compiler in build/kaitai: run `make kaitai-tools`")


def compiled(language: str, folder: Path) -> Path:
    needs_compiler()
    node(HERE / "compile.js", language, folder, *FILES)
    return folder


@pytest.fixture(scope="module", params=LANGUAGES)
def read(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    if request.param == "python":
        pytest.importorskip("kaitaistruct", reason="no runtime of Kaitai Struct: run `make kaitai-tools`")
    if request.param == "ruby" and shutil.which("ruby") is None:
        pytest.skip("no Ruby: run `make kaitai-tools`")
    return Reader(request.param, compiled(request.param, tmp_path_factory.mktemp(request.param)))


def squeezed(tree: Any) -> Any:
    """Return a tree with keys without case and underscores, because each language spells names its own way."""
    if isinstance(tree, dict):
        return {key.replace("_", "").lower(): squeezed(value) for key, value in tree.items()}
    return [squeezed(each) for each in tree] if isinstance(tree, list) else tree


def whole(answers: list[dict[str, Any]], vectors: list[dict[str, Any]]) -> Iterable[tuple[dict[str, Any], Any]]:
    assert len(answers) == len(vectors) > 0
    for vector, answer in zip(vectors, answers, strict=True):
        assert "error" not in answer, (vector["name"], answer)
        yield vector, squeezed(answer["read"])


def exact(language: str, found: int, value: int) -> tuple[float, float]:
    """Return two numbers to compare: the JavaScript runtime rounds numbers above 53 bits; Python's are exact."""
    return (float(found), float(value)) if language == "javascript" else (found, value)


def flat(value: Any) -> Any:
    """Return a field in the form of the vectors: a text plain, numbers of one byte as hex, a record as a list."""
    if isinstance(value, dict):
        return value["value"] if "octets" in value else [*value.values()]
    return [flat(each) for each in value] if isinstance(value, list) else value


BYTE_LISTS = {
    (message["name"], field["name"])
    for message in DATA["messages"] for field in message["fields"] if field.get("of") == "u8"
}  # fmt: skip


@pytest.mark.kaitai
def test_every_frame_is_read_as_its_vector_has_it(read: Reader) -> None:
    vectors = TDP["frames"]
    for vector, got in whole(read(("Tdp", each["decoded"]) for each in vectors), vectors):
        assert {name: got[name.replace("_", "")] for name in vector["header"]} == vector["header"], vector["name"]
        assert (got["kind"], got["message"]) == (vector["kind"], vector["message_id"]), vector["name"]
        assert got["check"] == int.from_bytes(bytes.fromhex(vector["decoded"])[-4:], "little")
        payload = got["payload"]
        for name, value in vector["fields"].items():
            found = flat(payload[name.replace("_", "")])
            if (vector["message"], name) in BYTE_LISTS:
                found = bytes(found).hex()
            if isinstance(value, int) and value >= 1 << 53:
                found, value = exact(read.language, found, value)
            assert found == value, (vector["name"], name)
        given = [{"type": each["type"], "value": each["value"]} for each in payload["extensions"]]
        assert given == vector["extensions"], vector["name"]
        counts = {name for name in payload if name.startswith("numberof")}
        assert len(payload) - len(counts) - 1 == len(vector["fields"]), vector["name"]


@pytest.mark.kaitai
def test_what_is_not_known_is_bytes(read: Reader) -> None:
    vectors = TDP["unknown"]
    for vector, got in whole(read(("Tdp", each["decoded"]) for each in vectors), vectors):
        found = (got["version"], got["kind"], got["message"], got["payload"])
        assert found == tuple(vector[name] for name in ("version", "kind", "message_id", "payload")), vector["name"]


@pytest.mark.kaitai
def test_a_flag_that_must_be_understood_leaves_bytes(read: Reader) -> None:
    frame = bytearray.fromhex(TDP["frames"][0]["decoded"])
    frame[1] |= 0x10
    (answer,) = read([("Tdp", frame.hex())])
    assert answer["read"]["payload"] == TDP["frames"][0]["payload"]


@pytest.mark.kaitai
def test_a_bad_payload_is_no_message(read: Reader) -> None:
    vectors = TDP["bad_payloads"]
    answers = read(("Tdp", cobs.decode(bytes.fromhex(each["wire"])[:-1]).hex()) for each in vectors)
    assert len(answers) == len(vectors) > 0
    for vector, answer in zip(vectors, answers, strict=True):
        assert "error" in answer, vector["name"]


def angel_card(card: dict[str, Any]) -> str:
    rank, suit = card["rank"], card["suit"]
    if not rank or not suit:
        return "??" if rank or suit else "--"
    return "-A23456789TJQK"[rank] + " DCSH"[suit]


LETTERS = {
    "Started": "S", "StandingBy": "P", "CardDrawn": "D", "CardReportedAgain": "R", "CardDrawnOutside": "d",
    "CutCardDrawn": "C", "GameResult": "G", "ErrorRaised": "E", "ErrorCleared": "e", "LockMoved": "L",
    "SettingChanged": "M",
}  # fmt: skip
OPERATIONS = {"Lock": "LK", "ClearError": "EC", "AskGame": "GP"}


def angel_eye_fields(message: str, names: Iterable[str], got: dict[str, Any]) -> dict[str, Any]:
    """Return the message's fields from the result, named as in the vectors."""
    content = got["content"]
    if message == "Rejected":
        return {"reason": content["reason"]}
    if message in ("Acknowledged", "Started", "StandingBy", "CutCardDrawn", "AskGame"):
        return {}
    if message == "UnknownReport":
        return {"letter": content["letter"], "data": content["data"]}
    if got["start"] == 0x02:
        body = content["body"]
        return {"Lock": {"locked": body.get("number") == 2}, "ClearError": {"trouble": body.get("number")},
                "Text": {"text": body["text"]}}[message]  # fmt: skip
    data = content["data"]
    return {name: angel_card(data["card"]) if name == "card" else data[name.replace("_", "")] for name in names}


@pytest.mark.kaitai
def test_every_frame_of_angel_eye_is_read_as_its_vector_has_it(read: Reader) -> None:
    vectors = ANGEL_EYE["frames"]
    for vector, got in whole(read(("AngelEye", each["wire"]) for each in vectors), vectors):
        message, content = vector["message"], got["content"]
        starts = {"Acknowledged": 0x06, "Rejected": 0x15, "Text": 0x02} | dict.fromkeys(OPERATIONS, 0x02)
        assert got["start"] == starts.get(message, 0x05), vector["name"]
        if message in LETTERS:
            assert content["letter"] == LETTERS[message], vector["name"]
            assert (
                ord(content["sequence"] if isinstance(content["sequence"], str) else chr(content["sequence"]))
                == (bytes.fromhex(vector["wire"])[1])
            )
        if got["start"] == 0x02:
            assert content["body"].get("operation") == OPERATIONS.get(message), vector["name"]
        assert angel_eye_fields(message, vector["fields"], got) == vector["fields"], vector["name"]


@pytest.mark.kaitai
@pytest.mark.parametrize(
    ("cls", "wires"),
    [
        ("AngelEye", {each["name"]: each["wire"] for each in ANGEL_EYE["bad_reports"]}),
        ("BeeTek", {each["name"]: each["text"].strip().encode().hex() for each in BEE_TEK["bad_reports"]}),
    ],
    ids=["angel-eye", "bee-tek"],
)
def test_a_bad_report_of_a_dialect_is_an_error(read: Reader, cls: str, wires: dict[str, str]) -> None:
    for name, answer in zip(wires, read((cls, wire) for wire in wires.values()), strict=True):
        assert "error" in answer, name


KINDS = {1: "CardDrawn", 2: "CardNotRead", 3: "Alarm", 4: "Warned", 5: "UnknownItem"}


def bee_tek_fields(message: str, item: dict[str, Any]) -> dict[str, Any]:
    if message == "CardDrawn":
        return {"card": "-A23456789TJQK"[item["card"]["rank"]] + chr(item["card"]["suit"]).upper()}
    if message == "Alarm":
        return {"code": item["alarm"]["code"].upper(), "words": item["alarm"]["words"]}
    return {"Warned": {"code": item.get("warning")}, "UnknownItem": {"item": item["text"]}}.get(message, {})


@pytest.mark.kaitai
def test_every_item_of_bee_tek_is_read_as_its_vector_has_it(read: Reader) -> None:
    vectors = BEE_TEK["items"]
    for vector, got in whole(read(("BeeTek", each["text"].strip().encode().hex()) for each in vectors), vectors):
        assert KINDS[got["item"]["kind"]] == vector["message"], vector["name"]
        assert (got.get("mode") or "") == vector["mode"], vector["name"]
        assert bee_tek_fields(vector["message"], got["item"]) == vector["fields"], vector["name"]


@pytest.mark.kaitai
@pytest.mark.parametrize("language", OTHERS)
def test_the_compiler_makes_a_parser_for_another_language(language: str, tmp_path: Path) -> None:
    """npm, PyPI and Debian have no runtime package for these languages, so nothing is run."""
    made = [path for path in compiled(language, tmp_path).rglob("*") if path.is_file()]
    assert len(made) >= len(FILES)
    assert all(path.stat().st_size for path in made)


@pytest.mark.kaitai
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["klingon", "made", str(FILES[0])], 2, "klingon: no language of the compiler; it has "),
        (["python", "made", "none.ksy"], 1, "none.ksy: ENOENT"),
        (["python", "made", str(DOCS / "protocol.md")], 1, f"{DOCS / 'protocol.md'}: "),
        (["python", "made"], 2, "usage: "),
    ],
    ids=["language", "no file", "no description", "no words"],
)
def test_a_mistake_is_one_line(words: list[str], code: int, said: str, tmp_path: Path) -> None:
    needs_compiler()
    ran = run_node(HERE / "compile.js", *words[:1], *(str(tmp_path) for _ in words[1:2]), *words[2:])
    assert (ran.returncode, ran.stderr.count("\n")) == (code, 1), ran.stderr
    assert ran.stderr.startswith(said)
    assert not list(tmp_path.iterdir())


@pytest.mark.kaitai
def test_the_snippets_of_the_page_print_what_they_say(tmp_path: Path) -> None:
    pytest.importorskip("kaitaistruct", reason="no runtime of Kaitai Struct: run `make kaitai-tools`")
    programs = {"python": [sys.executable], "ruby": ["ruby", "-I", str(HERE / "ruby"), "-I", str(tmp_path)]}
    snippets = re.findall(rf"```({'|'.join(LANGUAGES)})\n(.*?)```", PAGE, re.DOTALL)
    assert {language for language, _ in snippets} == set(LANGUAGES)
    for language in LANGUAGES:
        compiled(language, tmp_path)
    for language, code in snippets:
        expected = re.findall(r"(?:#|//) (.*)$", code, re.MULTILINE)[-1]
        script = tmp_path / f"snippet.{language[:2]}"
        script.write_text(code.replace("docs/", f"{DOCS}/"), encoding="utf-8")
        if language == "javascript":
            assert node(script).strip() == expected
        elif shutil.which(programs[language][0]):
            command = [*programs[language], script]
            out = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
            assert out.stdout.strip() == expected, out.stderr
