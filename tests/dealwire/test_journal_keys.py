"""Key files and seals of a journal: each line that is none, each payload at its bounds, and bytes that the programs of
`docs/journal.md` make by themselves."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from dealwire.journal import auditing
from dealwire.journal.auditing import AuditedSealer, AuditorKey, AuditorPrivateKey, Ratchet, Stretch, Stretches, named
from dealwire.journal.errors import KeyProblem, KeyUnsafe, SealingUnavailable
from dealwire.journal.keyfiles import cipher_of, derived, first_word, from_hex, only_key, read_lines, write_text
from dealwire.journal.sealing import FileSealer, NotGenuine, SealingKey, Unsealer, load_key, sealer_of
from tests.dealwire.test_journal_auditor import ANNOUNCEMENT, ONCE, PRIVATE, PUBLIC, ROOT
from tests.dealwire.test_journal_database import held_open, synced
from tests.support.oracles import auditor as oracle
from tests.support.rigs.memory_folder import memory_folder

WORD = "dealwire-journal-key"
SECRETS = bytes(range(1, 33)), bytes(range(101, 133))


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


def private_file(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o600)
    return path


def id_of(key: bytes, what: bytes = b"dealwire journal key id") -> str:
    """As docs/journal.md says."""
    return hashlib.sha256(what + b"\x00" + key).hexdigest()[:16]


def problem(use: Callable[[], object], path: Path) -> str:
    """Return the text of a KeyProblem, without the file's name."""
    with pytest.raises(KeyProblem) as caught:
        use()
    said = str(caught.value)
    assert said.startswith(f"{path}:")
    return said.removeprefix(f"{path}:")


# ------------------------------------------------------------------ files


def test_lines_that_hold_anything_have_their_numbers(tmp_path: Path) -> None:
    path = private_file(tmp_path / "key", "\n  a b\n\t\nc  d e \n")
    assert read_lines(path) == [(2, ["a", "b"]), (4, ["c", "d", "e"])]
    assert first_word(path) == "a"
    path.write_bytes(b"\xff\n")
    assert read_lines(path) == [(1, ["\ufffd"])]
    path.write_bytes(b" \n")
    assert (read_lines(path), first_word(path)) == ([], "")


def test_a_file_of_more_than_a_mebibyte_is_refused(tmp_path: Path) -> None:
    """Cut off in silence, it would be a list with fewer keys."""
    path = private_file(tmp_path / "key", "\n" * (2**20 - 3) + "abc")
    assert read_lines(path) == [(2**20 - 2, ["abc"])]
    path.write_text("\n" * (2**20 - 2) + "abc")
    assert problem(lambda: read_lines(path), path) == " longer than 1048576 bytes"


def test_a_file_that_others_may_use_holds_no_secret(tmp_path: Path) -> None:
    path = private_file(tmp_path / "key", "a\n")
    path.chmod(0o640)
    assert problem(lambda: read_lines(path), path) == (
        f" others may use it (mode 0640); allowed: 0600 (chmod 600 {path})"
    )
    with pytest.raises(KeyUnsafe):
        read_lines(path)
    assert read_lines(path, secret=False) == [(1, ["a"])]
    assert first_word(path) == "a", "it says what kind it is before it is said to be unsafe"
    assert problem(lambda: read_lines(tmp_path), tmp_path) == " key file cannot be read: Is a directory"
    none = tmp_path / "none"
    assert problem(lambda: first_word(none), none) == " key file cannot be read: No such file or directory"
    assert held_open(tmp_path) == []


def test_a_text_takes_the_place_of_the_file_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, beside, found, sizes = tmp_path / "key", tmp_path / ".key-new", synced(monkeypatch), list[int]()
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: sizes.append(os.fstat(file).st_size) or sync(file))
    beside.write_text("left by a kill")
    write_text(path, "one\n")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("one\n", 0o600)
    assert (found, sizes[0]) == ([beside, tmp_path], 4), "whole, and then under its name"
    write_text(path, "two\n", 0o644)
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two\n", 0o644)
    assert [each.name for each in tmp_path.iterdir()] == ["key"]
    assert held_open(tmp_path) == []


def test_a_text_that_cannot_be_put_there_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "none" / "key"
    assert problem(lambda: write_text(path, "x"), path) == " key file cannot be written: No such file or directory"
    path = private_file(tmp_path / "key", "before\n")

    def full(*_: object) -> None:
        assert (tmp_path / ".key-new").read_text() == "after\n"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert problem(lambda: write_text(path, "after\n"), path) == " key file cannot be written: No space left on device"
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("key", "before\n")]


def test_hex_of_another_length_is_none() -> None:
    assert from_hex("00ff", 2) == b"\x00\xff"
    for text, size in (("00ff", 1), ("00ff", 3), ("", 1), ("0", 1), ("x0", 1)):
        with pytest.raises(ValueError, match=r"^"):
            from_hex(text, size)


ID, KEY = "00112233445566aa", "5a" * 32
NOT_ONE: list[tuple[list[tuple[int, list[str]]], str]] = [
    ([], ""),
    ([(2, ["w", ID, KEY]), (3, ["w", ID, KEY])], "2:"),
    ([(4, ["w", ID])], "4:"),
    ([(4, ["w", ID, KEY, KEY])], "4:"),
    ([(4, ["v", ID, KEY])], "4:"),
    ([(4, ["w", ID[2:], KEY])], "4:"),
    ([(4, ["w", ID, KEY[2:]])], "4:"),
    ([(4, ["w", "x" * 16, KEY])], "4:"),
    ([(4, ["w", ID, "x" * 64])], "4:"),
]


@pytest.mark.parametrize(("lines", "line"), NOT_ONE, ids=range(len(NOT_ONE)))
def test_a_file_of_one_key_holds_one(tmp_path: Path, lines: list[tuple[int, list[str]]], line: str) -> None:
    assert only_key(tmp_path, [(4, ["w", ID, KEY])], "w", "a thing") == (4, ID, bytes([0x5A] * 32))
    said = problem(lambda: only_key(tmp_path, lines, "w", "a thing"), tmp_path)
    assert said == f"{line} not a thing; allowed: one line 'w ID KEY', 16 and 64 hex digits"


@pytest.mark.parametrize("module", ["hashes", "kdf.hkdf", "ciphers.aead", "asymmetric"])
def test_without_its_library_each_part_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    path = tmp_path / "key"
    uses: dict[str, Callable[[], object]] = {
        "hashes": lambda: derived(path, b"k", b"s", b"i"),
        "kdf.hkdf": lambda: derived(path, b"k", b"s", b"i"),
        "ciphers.aead": lambda: cipher_of(path, bytes(32)),
        "asymmetric": lambda: AuditorPrivateKey.new(path, tmp_path / "pub"),
    }
    monkeypatch.setitem(sys.modules, f"cryptography.hazmat.primitives.{module}", None)
    if module == "asymmetric":
        monkeypatch.delattr("cryptography.hazmat.primitives.asymmetric", raising=False)
    with pytest.raises(SealingUnavailable) as caught:
        uses[module]()
    assert caught.value.path == path


def test_keys_are_derived_and_used_as_the_standards_do(tmp_path: Path) -> None:
    assert derived(tmp_path, b"key", b"salt", b"info") == oracle.hkdf(b"key", b"salt", b"info")
    sealed = cipher_of(tmp_path, bytes(32)).encrypt(bytes(12), b"data", b"place")
    assert sealed == AESGCM(bytes(32)).encrypt(bytes(12), b"data", b"place")


# ------------------------------------------------------------------ a key file


def key_text(*keys: bytes) -> str:
    return "".join(f"{WORD} {id_of(key)} {key.hex()}\n" for key in keys)


def test_a_key_file_is_read_as_the_page_says(tmp_path: Path) -> None:
    key = SealingKey.load(private_file(tmp_path / "key", key_text(*SECRETS)))
    assert key.keys == tuple((bytes.fromhex(id_of(each)), each) for each in SECRETS)
    assert key.id == id_of(SECRETS[1]), "the newest seals"
    assert repr(key) == f"SealingKey({tmp_path}/key, {id_of(SECRETS[1])})"


NO_KEY = ":{line}: not a key; allowed: 'dealwire-journal-key ID KEY', 16 and 64 hex digits"
GOOD = key_text(SECRETS[0])
SPOILT_KEYS: list[tuple[str, str]] = [
    ("", " holds no key; `dealwire journal key new FILE` makes one"),
    ("\n", " holds no key; `dealwire journal key new FILE` makes one"),
    ("w", NO_KEY.format(line=1)[1:]),
    (WORD, NO_KEY.format(line=1)[1:]),
    (f"\n{WORD} {id_of(SECRETS[0])}", NO_KEY.format(line=2)[1:]),
    (GOOD.replace("dealwire", "other"), NO_KEY.format(line=1)[1:]),
    (GOOD.strip() + " more", NO_KEY.format(line=1)[1:]),
    (GOOD.strip()[:-2], NO_KEY.format(line=1)[1:]),
    (GOOD.strip() + "00", NO_KEY.format(line=1)[1:]),
    (GOOD.strip()[:-1] + "x", NO_KEY.format(line=1)[1:]),
    (GOOD + f"{WORD} {'0' * 16} {SECRETS[0].hex()}", "2: the key does not fit its id; one of them was altered"),
]


@pytest.mark.parametrize(("text", "said"), SPOILT_KEYS, ids=range(len(SPOILT_KEYS)))
def test_a_key_file_that_is_spoilt_names_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = private_file(tmp_path / "key", text)
    assert problem(lambda: SealingKey.load(path), path) == said


def test_a_new_key_and_one_more(tmp_path: Path) -> None:
    path = tmp_path / "key"
    key = SealingKey.new(path)
    ((key_id, secret),) = key.keys
    assert (key.path, len(secret), key_id.hex()) == (path, 32, id_of(secret))
    assert path.read_text() == key_text(secret)
    newer = key.rotated()
    assert newer.keys[:-1] == key.keys
    assert len({each for _, each in newer.keys}) == 2
    assert path.read_text() == key_text(*(each for _, each in newer.keys))
    said = problem(lambda: SealingKey.new(path), path)
    assert said == " already exists; `dealwire journal key rotate FILE` adds a newer key to it"


def test_what_a_key_file_seals_opens_as_the_page_says(tmp_path: Path) -> None:
    key = SealingKey.load(private_file(tmp_path / "key", key_text(*SECRETS)))
    sealer = FileSealer(key)
    assert sealer.announcement("t") is None
    payloads = [sealer.seal(data, b"place") for data in (b"one", b"two")]
    salts = {payload[9:25] for payload in payloads}
    assert len(salts) == 1
    for counter, (payload, data) in enumerate(zip(payloads, (b"one", b"two"), strict=True)):
        nonce = counter.to_bytes(12, "big")
        assert payload[:9] == b"\x01" + bytes.fromhex(id_of(SECRETS[1]))
        assert payload[25:33] == nonce[4:]
        cipher = AESGCM(oracle.hkdf(SECRETS[1], payload[9:25], b"dealwire.journal/1 raw"))
        assert payload[33:] == cipher.encrypt(nonce, data, b"place")
    assert FileSealer(key).seal(b"one", b"place")[9:25] not in salts


def sealed_with(key: bytes, data: bytes, counter: int = 7) -> bytes:
    """A payload as somebody else's program makes it."""
    salt, nonce = bytes(range(16)), counter.to_bytes(12, "big")
    cipher = AESGCM(oracle.hkdf(key, salt, b"dealwire.journal/1 raw"))
    return b"\x01" + bytes.fromhex(id_of(key)) + salt + nonce[4:] + cipher.encrypt(nonce, data, b"place")


def test_a_key_file_opens_what_each_of_its_keys_sealed(tmp_path: Path) -> None:
    key = SealingKey.load(private_file(tmp_path / "key", key_text(*SECRETS)))
    unsealer = Unsealer(key, tmp_path / "j")
    assert (unsealer.learns, unsealer.beside) == (False, None)
    for secret, data in ((SECRETS[0], b"one"), (SECRETS[1], b""), (SECRETS[0], b"three")):
        payload = sealed_with(secret, data)
        assert unsealer.missing(payload) is None
        assert unsealer.open(payload, b"place") == data
        for spoilt in (payload[:-1], payload[:48], payload[:1], payload[:-1] + bytes([payload[-1] ^ 1])):
            with pytest.raises(NotGenuine):
                unsealer.open(spoilt, b"place")
        with pytest.raises(NotGenuine):
            unsealer.open(payload, b"another place")
    other = sealed_with(bytes(32), b"")
    assert len(other) == 49
    assert unsealer.missing(other) == id_of(bytes(32))
    assert unsealer.missing(other[:-1]) is None, "too short to need any key"
    assert Unsealer(None, tmp_path / "j").missing(other) == id_of(bytes(32))


@pytest.mark.parametrize("payload", [b"", b"\x03", b"\x03" + bytes(60), b"\x01", b"\x02"])
def test_what_is_sealed_in_no_way_is_not_genuine(tmp_path: Path, payload: bytes) -> None:
    unsealer = Unsealer(None, tmp_path / "j")
    assert unsealer.missing(payload) is None
    with pytest.raises(NotGenuine):
        unsealer.open(payload, b"place")
    assert unsealer.open(b"\x00clear", b"place") == b"clear"
    assert (unsealer.missing(b"\x00" + bytes(60)), unsealer.open(b"\x00", b"")) == (None, b"")


def test_what_seals_a_journal(tmp_path: Path) -> None:
    key = SealingKey.new(tmp_path / "key")
    public = AuditorKey(tmp_path / "pub", PUBLIC)
    assert sealer_of(None, tmp_path / "j") is None
    assert isinstance(sealer_of(key, tmp_path / "j"), FileSealer)
    assert isinstance(sealer_of(public, tmp_path / "j"), AuditedSealer)


def test_whatever_opens_seals_is_known_by_its_first_word(tmp_path: Path) -> None:
    key = SealingKey.new(tmp_path / "key")
    private = AuditorPrivateKey.new(tmp_path / "private", tmp_path / "public")
    line = f"dealwire-journal-stretch {'00' * 8} 3 {'11' * 32} t\n"
    stretches = Stretches(private_file(tmp_path / "stretch", line), (Stretch(bytes(8), 3, bytes([0x11] * 32), "t"),))
    assert [load_key(each.path) for each in (key, private, stretches)] == [key, private, stretches]
    said = problem(lambda: load_key(tmp_path / "public"), tmp_path / "public")
    assert said == " an auditor's public key opens nothing; give the private one"
    empty = private_file(tmp_path / "empty", "")
    said = problem(lambda: load_key(empty), empty)
    assert said == " holds no key; `dealwire journal key new FILE` makes one"


# ------------------------------------------------------------------ an auditor's pair


def auditor_id(public: bytes) -> str:
    return id_of(public, b"dealwire auditor key id")


def test_a_pair_is_read_as_the_page_says(tmp_path: Path) -> None:
    public_text = f"dealwire-auditor-public {auditor_id(PUBLIC)} {PUBLIC.hex()}\n"
    private_text = f"dealwire-auditor-private {auditor_id(PUBLIC)} {PRIVATE.hex()}\n"
    path, public_path = private_file(tmp_path / "key", private_text), tmp_path / "pub"
    public_path.write_text(public_text)
    private, public = AuditorPrivateKey.load(path), AuditorKey.load(public_path)
    assert (private.private, private.public, public.public) == (PRIVATE, PUBLIC, PUBLIC)
    assert private.id == public.id == auditor_id(PUBLIC)
    assert repr(private) == f"AuditorPrivateKey({path}, {auditor_id(PUBLIC)})"
    unfit = "1: the key does not fit its id; one of them was altered"
    for each, load in ((path, AuditorPrivateKey.load), (public_path, AuditorKey.load)):
        each.write_text(each.read_text().replace(auditor_id(PUBLIC), "0" * 16))
        assert problem(lambda load=load, each=each: load(each), each) == unfit  # type: ignore[misc]
        each.write_text("no")
        word = f"dealwire-auditor-{'private' if each == path else 'public'}"
        said = f"1: not an auditor's key; allowed: one line '{word} ID KEY', 16 and 64 hex digits"
        assert problem(lambda load=load, each=each: load(each), each) == said  # type: ignore[misc]
    public_path.write_text(f"\ndealwire-auditor-public {auditor_id(bytes(32))} {'00' * 32}\n")
    said = problem(lambda: AuditorKey.load(public_path), public_path)
    assert said == "2: not a valid X25519 public key: anyone could open what it seals"


def test_a_new_pair_takes_two_new_files(tmp_path: Path) -> None:
    path, public_path = tmp_path / "key", tmp_path / "pub"
    key = AuditorPrivateKey.new(path, public_path)
    assert key.public == oracle.x25519(key.private, oracle.BASE)
    assert path.read_text() == f"dealwire-auditor-private {auditor_id(key.public)} {key.private.hex()}\n"
    assert public_path.read_text() == f"dealwire-auditor-public {auditor_id(key.public)} {key.public.hex()}\n"
    said = " already exists; a pair needs two new files"
    third = tmp_path / "third"
    assert problem(lambda: AuditorPrivateKey.new(path, third), path) == said
    assert problem(lambda: AuditorPrivateKey.new(third, public_path), public_path) == said
    assert problem(lambda: AuditorPrivateKey.new(third, third), third) == said
    assert {each.name for each in tmp_path.iterdir()} == {"key", "pub"}


def test_a_root_is_announced_to_one_auditor(tmp_path: Path) -> None:
    private = AuditorPrivateKey(tmp_path, PRIVATE, PUBLIC)
    announcement = oracle.announcement_of(ROOT, ONCE, PUBLIC)
    assert hashlib.sha256(announcement).hexdigest() == ANNOUNCEMENT
    root_id = id_of(ROOT, b"dealwire journal root id")
    assert private.root_in(announcement) == (bytes.fromhex(root_id), ROOT)
    assert named(announcement) == (root_id, auditor_id(PUBLIC))
    own = auditing.announced(AuditorKey(tmp_path, PUBLIC), ROOT)
    assert (len(own), oracle.root_of(own, PRIVATE), own[:17]) == (97, ROOT, announcement[:17])
    assert own[17:] != announcement[17:], "under a key that is used once"
    low = announcement[:17] + bytes(32) + announcement[49:]
    for spoilt in (low, b"\x02" + announcement[1:], announcement[:-1], announcement + b"\x00"):
        with pytest.raises(auditing.NotAnnounced):
            private.root_in(spoilt)
    other = oracle.announcement_of(ROOT, ONCE, oracle.x25519(bytes(range(7, 39)), oracle.BASE))
    assert private.root_in(other) is None
    wrong_id = oracle_announcement(bytes(8))
    with pytest.raises(auditing.NotAnnounced):
        private.root_in(wrong_id)


def oracle_announcement(root_id: bytes) -> bytes:
    """A root under an id that is not its own, sealed as it should be."""
    once = oracle.x25519(ONCE, oracle.BASE)
    head = b"\x01" + root_id + bytes.fromhex(auditor_id(PUBLIC))
    key = oracle.hkdf(oracle.x25519(ONCE, PUBLIC), once + PUBLIC, b"dealwire.journal/1 root")
    return head + once + AESGCM(key).encrypt(bytes(12), ROOT, head)


def test_an_auditor_learns_roots_and_nobody_else_does(tmp_path: Path) -> None:
    announcement = oracle.announcement_of(ROOT, ONCE, PUBLIC)
    payload = oracle.sealed(b"AS KD", b"place", ROOT, 2, 7)
    auditor = Unsealer(AuditorPrivateKey(tmp_path, PRIVATE, PUBLIC), tmp_path / "j")
    nobody = Unsealer(None, tmp_path / "j")
    assert (auditor.learns, nobody.learns) == (True, False)
    nobody.learn(announcement)
    assert nobody.missing(payload) == payload[1:9].hex()
    with pytest.raises(NotGenuine):
        auditor.learn(announcement[:-1])
    auditor.learn(oracle.announcement_of(ROOT, ONCE, oracle.x25519(bytes(range(7, 39)), oracle.BASE)))
    assert auditor.missing(payload) == payload[1:9].hex(), "that was another auditor's"
    auditor.learn(announcement)
    assert auditor.missing(payload) is None
    assert auditor.open(payload, b"place") == b"AS KD"
    empty = oracle.sealed(b"", b"place", ROOT, 0, 0)
    assert (len(empty), auditor.open(empty, b"place")) == (37, b"")
    with pytest.raises(NotGenuine):
        auditor.open(empty[:-1], b"place")


def test_the_file_beside_opens_from_its_step_on(tmp_path: Path) -> None:
    """A later step follows from it; an earlier one does not, whoever asks."""
    payloads = [oracle.sealed(b"AS KD", b"place", ROOT, step, step) for step in range(6)]
    root_id = payloads[0][1:9]
    Stretches(tmp_path / "j-key").with_held([Stretch(root_id, 3, oracle.key_of(ROOT, 3), "t")])
    public = AuditorKey(tmp_path / "pub", PUBLIC)
    unsealer = Unsealer(public, tmp_path / "j")
    assert (unsealer.beside, unsealer.learns) == (tmp_path / "j-key", False)
    missing = [unsealer.missing(payload) for payload in payloads]
    assert missing == [root_id.hex()] * 3 + [None] * 3
    for step in (5, 3, 4, 3, 5):
        assert unsealer.open(payloads[step], b"place") == b"AS KD", "forth and back"
    short = payloads[0][:36]
    assert unsealer.missing(short) is None
    with pytest.raises(NotGenuine):
        unsealer.open(short, b"place")


def test_a_ratchet_steps_once_for_each_stretch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are read in order: stepping from the root each time would take a day of a long table's records."""
    steps, next_key = [], auditing.next_key
    monkeypatch.setattr(auditing, "next_key", lambda path, key: steps.append(key) or next_key(path, key))
    ratchet = Ratchet(tmp_path, 0, ROOT)
    ciphers = [ratchet.cipher(step) for step in (0, 0, 1, 1, 4, 4)]
    assert len(steps) == 4
    assert (ciphers[0] is ciphers[1], ciphers[2] is ciphers[3], ciphers[4] is ciphers[5]) == (True, True, True)
    sealed = ciphers[4].encrypt(bytes(12), b"AS KD", b"place")
    assert oracle.sealed(b"AS KD", b"place", ROOT, 4, 0)[21:] == sealed
    assert ratchet.cipher(1).encrypt(bytes(12), b"", b"") == oracle.sealed(b"", b"", ROOT, 1, 0)[21:]
    assert len(steps) == 5, "back at the root, and one on"


@pytest.mark.parametrize(("step", "refused"), [(65535, False), (65536, True)])
def test_no_table_steps_further_than_this(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, refused: bool
) -> None:
    monkeypatch.setattr(auditing, "next_key", lambda path, key: key)  # what each is does not matter here
    unsealer = Unsealer(AuditorPrivateKey(tmp_path, PRIVATE, PUBLIC), tmp_path / "j")
    unsealer.learn(oracle.announcement_of(ROOT, ONCE, PUBLIC))
    payload = oracle.sealed(b"AS KD", b"place", ROOT, 0, 7)
    payload = payload[:9] + step.to_bytes(4, "big") + payload[13:]
    if refused:
        with pytest.raises(NotGenuine):
            unsealer.open(payload, b"place")
    else:
        assert unsealer.open(payload, b"place") == b"AS KD"


# ------------------------------------------------------------------ the file beside


STRETCH = f"dealwire-journal-stretch {'00' * 8} 3 {'11' * 32} "
NO_STRETCH = (
    "1: not the key of a stretch; allowed: 'dealwire-journal-stretch ID STEP KEY TABLE'. Without it the rounds under "
    "way cannot be replayed here"
)


def test_the_file_beside_as_text(tmp_path: Path) -> None:
    path = tmp_path / "j-key"
    assert Stretches.beside(tmp_path / "j") == path
    none = Stretches.load(path)
    assert (none, repr(none)) == (Stretches(path), f"Stretches({path}, 0)")
    held = [Stretch(bytes(8), 3, bytes([0x11] * 32), table) for table in ("tisch ä/1", "")]
    written = none.with_held(held)
    assert path.read_text() == f"{STRETCH}tisch%20%C3%A4%2F1\n{STRETCH}\n"
    assert written == Stretches.load(path) == Stretches(path, tuple(held))
    assert repr(written) == f"Stretches({path}, 2)"
    path.chmod(0o644)
    with pytest.raises(KeyUnsafe):
        Stretches.load(path)


@pytest.mark.parametrize(
    ("step", "fits"), [("-1", False), ("0", True), ("65535", True), ("65536", False), ("x", False)]
)
def test_a_step_that_no_table_takes_is_none(tmp_path: Path, step: str, fits: bool) -> None:
    path = private_file(tmp_path / "j-key", STRETCH.replace(" 3 ", f" {step} ") + "t\n")
    if fits:
        assert Stretches.load(path).held[0].step == int(step)
    else:
        assert problem(lambda: Stretches.load(path), path) == NO_STRETCH


@pytest.mark.parametrize(
    "text",
    [
        "dealwire-journal-stretch",
        STRETCH.replace("11" * 32, "11" * 31),
        STRETCH.replace("00" * 8, "00" * 7),
        STRETCH.replace("stretch", "other") + "t",
        STRETCH + "t more",
        STRETCH.replace(" 3 ", " "),
    ],
)
def test_a_line_of_the_file_beside_that_is_none(tmp_path: Path, text: str) -> None:
    path = private_file(tmp_path / "j-key", text)
    assert problem(lambda: Stretches.load(path), path) == NO_STRETCH


@pytest.fixture
def sealer(tmp_path: Path) -> AuditedSealer:
    return AuditedSealer(AuditorKey(tmp_path / "pub", PUBLIC), tmp_path / "j")


def held(tmp_path: Path) -> list[tuple[str, int]]:
    return [(each.table, each.step) for each in Stretches.load(tmp_path / "j-key").held]


def test_a_table_has_a_root_until_it_is_to_have_another(tmp_path: Path, sealer: AuditedSealer) -> None:
    first, second = sealer.announcement("a"), sealer.announcement("b")
    assert first is not None
    assert second is not None
    assert (sealer.announcement("a"), held(tmp_path)) == (None, [("a", 0), ("b", 0)])
    anew = sealer.announcement("a", anew=True)
    assert anew is not None
    assert len({oracle.root_of(each, PRIVATE) for each in (first, second, anew)}) == 3
    payloads = [sealer.seal(data, b"place", "a") for data in (b"one", b"two")]
    for counter, (payload, data) in enumerate(zip(payloads, (b"one", b"two"), strict=True)):
        assert payload == oracle.sealed(data, b"place", oracle.root_of(anew, PRIVATE), 0, counter)
    with pytest.raises(KeyError):
        sealer.seal(b"", b"", "c")


def test_a_turn_takes_the_next_key_and_what_is_forgotten_leaves_the_file(
    tmp_path: Path, sealer: AuditedSealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = oracle.root_of(sealer.announcement("a") or b"", PRIVATE)
    sealer.announcement("b")
    sealer.seal(b"", b"", "a")
    for step in (1, 2):
        sealer.turn("a")
        assert dict(held(tmp_path)) == {"a": step - 1, "b": 0}, "not before it is on the disk"
        assert sealer.seal(b"x", b"place", "a") == oracle.sealed(b"x", b"place", root, step, step)
        sealer.forget()
        assert held(tmp_path) == [("b", 0), ("a", step)]
    monkeypatch.setattr(os, "replace", lambda *_: pytest.fail("nothing turned: nothing is written"))
    sealer.forget()
    sealer.turn("never announced")
    sealer.forget()


def test_what_a_disk_did_not_take_is_forgotten_the_next_time(
    tmp_path: Path, sealer: AuditedSealer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    sealer.announcement("a")
    sealer.turn("a")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        sealer.forget()
    assert held(tmp_path) == [("a", 0)]
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}/j-key: key file cannot be written: No space left on device; "
        "it still holds keys of finished stretches"
    ]
    sealer.forget()
    assert held(tmp_path) == [("a", 1)]


def test_the_last_step_of_a_root_is_not_left(
    tmp_path: Path, sealer: AuditedSealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(auditing, "STEPS_MOST", 3)
    sealer.announcement("a")
    sealer.turn("a")
    assert sealer.announcement("a") is None
    for _ in range(2):
        sealer.turn("a")
        sealer.forget()
        assert held(tmp_path) == [("a", 2)]
    assert sealer.announcement("a") is not None
    assert held(tmp_path) == [("a", 2), ("a", 0)]
