"""Parts of the fuzzer, with the share of all bytes that each gets. What is quick gets more: a share is about as many
bytes as one part of the time is good for."""

from typing import Final

from tests.support.fuzzing.fuzz_units import FuzzPart
from tests.support.fuzzing.fuzzed_certificates import CertificateFiles
from tests.support.fuzzing.fuzzed_dialects import GatDocuments, GatEnds, HeardGat, HeardHost, heard_shoe, heard_tdp
from tests.support.fuzzing.fuzzed_files import SignedFiles
from tests.support.fuzzing.fuzzed_people import PeopleAnswers
from tests.support.fuzzing.fuzzed_seals import STATES

PARTS: Final = {
    part.name: part
    for part in (
        FuzzPart("tdp, shuffler", heard_tdp("shuffler"), 8),
        FuzzPart("tdp, shoe", heard_tdp("shoe"), 8),
        FuzzPart("tdp, table controller", heard_tdp("table-controller"), 8),
        FuzzPart("tdp, device's end", HeardHost, 10),
        FuzzPart("angel-eye", heard_shoe("angel-eye"), 3),
        FuzzPart("bee-tek", heard_shoe("bee-tek"), 5),
        FuzzPart("gat, recorded", HeardGat, 5),
        FuzzPart("gat, both ends", GatEnds, 4),
        FuzzPart("gat, documents", GatDocuments, 2),
        *(FuzzPart(f"sealed {name}", state, 5 if name.startswith("device") else 3) for name, state in STATES.items()),
        FuzzPart("keys, proofs, lists", SignedFiles, 4),
        FuzzPart("certificates, time stamps", CertificateFiles, 2),
        FuzzPart("users, passkeys", PeopleAnswers, 2),
    )
}
