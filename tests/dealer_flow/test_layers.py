"""Procedures that stand on others: what the layers come to."""

import pytest

from dealer_flow.procedure.load import load_procedure

WHOLE = {
    "208.co": "b77b63d543d9e27f1554a2a68dd1d080de73708f84f9e87b9f49bb88bc3b2c94",
    "3-5-7.co": "214f17167b6a0ee2822160b412f1f1639de626e19fe0548d27706c3c8e7b7ef3",
    "bonus-6.co": "f6f7cef1590be30449392c125dbd3a55676464a37ea95cc1b53d8bf3a0e59640",
    "boston-5.co": "4c24572eee5622676a3c1f8a21f584485ed7a951de52088900ba4aadf2801888",
    "boston-7.co": "ff4b52e51fd48ffae551aa0c22833d1e4b8cb14a230c50f1d2f2e120574406fe",
    "caribbean-draw.co": "532749f45349dc2416ded14b63ec2f813ba9e394cd5bf1b91c2e0f4b4e94dda5",
    "caribbean-stud.co": "066273f58b5dd6233d916f3111aca82f82eff81daefcaba594ff156d9af89401",
    "champion.co": "33f8de243ce216ed293d743e80a41a78aea3825acde982a8a1fa70ef9052d077",
    "colorado-holdem.co": "3c361d7a36ad5e79a432ec10697b5ad4033592f6f74a69ee8149a0d856de6311",
    "crazy-4.co": "39f8dee05334f15130e051f580d06bbf0524d332a4bd123e667f3f2cb05a4052",
    "emperors-challenge.co": "388c0a9f2690deb5b700d802069800b740bd62968efbfe2034acb0768d850e2a",
    "flushes-gone-wild.co": "c25adb3e9b7639f3524f60e64d0ed98a695b2583ddb75f3138c9b5cc24c718ea",
    "flushes-gone-wild.co-single": "25123871240d62d6fc09c3c8dd883c92feee46086bf46a8c43ea58b69727e8ad",
    "flushes-gone-wild.sd": "5581c53f9a9a6faa88480cfaccbe260bc5d7f81e9b2462c343744ab8ab896cd5",
    "flushes-gone-wild.wa": "ece211f7cbbd06f7594622553f056d7d581412c3c7348cd1fd1748777c2d1003",
    "fortune-pai-gow.co": "de3dcbd7f6f1d861ca958631406f0d29236b9debbd035e64d429d2bb09376dae",
    "high-five.co": "ed9d0c3594a065b837f0bd8c2e5ff9861fc6c151e08ca9873e18b28c02c33b87",
    "let-it-ride.co": "7ad37a16a658ab7248fd8ce28cfff03795b240fcae0bd64c7b41c625526be83a",
    "longhorn.co": "95cbc14a71735e0d71464d6de86d018b572a7b2bc3367a9877841b5d0e91088f",
    "mississippi-stud.co": "c70a3587823db548fd12890d99b8a8c12fbe3bbc45661b1c91d09c008072b0f1",
    "pai-gow.co": "38349951a546f4b2f92ca03fd0da1ff2842e883f9a619c8bf71f34b42e2a7287",
    "players-choice.co": "751f76fb1b90adc8aea06a1c6f610d5d80552c2e24782c0ce160d2791652a37f",
    "prospector.co": "f5302630a2b8bab467b03b02f41c2a95399c10d0b0c7586098ee5fc7bd12d5df",
    "race-to-the-flush": "bbea6308add9d9cde23aa13f9e11cbcec528dfc05f00ad631d80b6f6267d7f40",
    "texas-holdem-bonus.co": "abf31a0b4a3978970fa58e9a5efb2ef8f3a21dfb3a4922cf25e333bc4b102a24",
    "texas-shootout.co": "64388f4e89e9ac7878c743d30a9d548daa04985c8cdc143e68f1823881eae97c",
    "three-card-split.co": "ac700c2dd23f29c747437ec20ffae32a418517eaa656b8954d2042b41c10177c",
    "three-card.co": "c2acf4f9a88f3587a87fd61246a4b0ab6a434123e911a79dd0ceb2a44035e045",
    "ultimate-texas-holdem.co": "206ca233036d524200785562dbe1de6fdec23b847decf66eeddd2718814a5465",
    "vegas-double-action.co": "91fa9e11bde1f381ca0d7ffbca85cbe0b9e32e2490966c5a503092678327df3b",
    "western-stud.co": "430433966764f66e43ff7dd7b44161ffc4cb131d829d1decffa26230d287ef03",
    "wild-six.co": "0798c271e558fc97d60051ea36529b4ef1603e68673b3309145c69b2eda31b0f",
}
"""SHA-256 of the procedures when each still stood in one file."""


@pytest.mark.parametrize("name", WHOLE)
def test_a_file_in_layers_says_what_it_did_in_one(name: str) -> None:
    assert load_procedure(name).ref().sha256 == WHOLE[name]
