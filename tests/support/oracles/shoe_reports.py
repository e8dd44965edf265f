"""Every report of the three shoes, with its event."""

from devices import events as e
from protocol.angel_eye import messages as am
from protocol.bee_tek import messages as bm
from protocol.cards import CARDS, NONE, UNREAD, parse_card
from protocol.tdp import messages as m

HEAD = {"number": 9, "device_ms": 1234}
KING = parse_card("KD")
READ = e.ReaderFlag

TDP: list[tuple[m.Event, e.Body]] = [
    (m.StateChangedMessage(**HEAD, state=5, previous=4), e.StateChanged("ROUND", "STANDBY")),
    (m.ShoeLoadedMessage(**HEAD, shoe=7, decks=8, cards=416), e.ShoeLoaded(7, 8, 416)),
    (m.BurnStartedMessage(**HEAD, count=3), e.BurnStarted(3)),
    (
        m.CardDrawnMessage(**HEAD, ordinal=260, card=0x2D, place=0, confidence=99, reader=3),
        e.CardDrawn(260, KING, None, 99, (READ.INDEX, READ.CODE)),
    ),
    (
        m.CardDrawnMessage(**HEAD, ordinal=1, card=0x2D, place=0x42, confidence=40, reader=0x3C),
        e.CardDrawn(1, KING, "burn", 40, (READ.DISAGREE, READ.DIRTY, READ.SLOW, "0x20")),
    ),
    (m.CardDrawnMessage(**HEAD, ordinal=2, card=0x60, place=3, confidence=0, reader=0), e.CardUnread(2, "seat 3")),
    (
        m.CardDrawnMessage(**HEAD, ordinal=2, card=0x51, place=0, confidence=9, reader=0),
        e.CardDrawn(2, CARDS[0x51], None, 9),
    ),
    (m.CardUnreadableMessage(**HEAD, ordinal=4, place=0, reader=8), e.CardUnread(4, None, (READ.DIRTY,))),
    (m.CardReportedAgainMessage(**HEAD, ordinal=4, card=0x2D, place=0), e.CardReportedAgain(4, KING, None)),
    (m.CutCardSeenMessage(**HEAD, drawn=300), e.CutCardSeen()),
    (m.OverdrawMessage(**HEAD, ordinal=18, halted=1), e.Overdrawn(True)),
    (m.PushedBackMessage(**HEAD, ordinal=18, halted=0), e.CardPushedBack(False)),
    (m.PulledBackMessage(**HEAD, ordinal=18, halted=1), e.CardPulledBack(True)),
    (m.CardDrawnOutsideMessage(**HEAD, ordinal=19, card=0x2D, mode=1), e.DrawWhileLocked(KING)),
    (m.CardDrawnOutsideMessage(**HEAD, ordinal=19, card=0x60, mode=2), e.CardDrawnOutside(UNREAD, "error")),
    (m.CardDrawnOutsideMessage(**HEAD, ordinal=19, card=0x2D, mode=3), e.CardDrawnOutside(KING, "setup")),
    (m.CardDrawnOutsideMessage(**HEAD, ordinal=19, card=0x2D, mode=9), e.CardDrawnOutside(KING, "0x09")),
    (m.ShoeErrorMessage(**HEAD, fault=408, halted=1), e.ShoeError(408, True, "draw too slow (408)")),
    (m.ShoeErrorMessage(**HEAD, fault=499, halted=0), e.ShoeError(499, False, "shoe reading fault 499")),
    (m.ShoeErrorClearedMessage(**HEAD, fault=408, badge=77), e.ShoeErrorCleared(408, 77)),
    (m.ShoeLockMovedMessage(**HEAD, locked=1), e.ShoeLocked(True)),
    (m.ShoeEndedMessage(**HEAD, shoe=7, drawn=365), e.ShoeEnded(7, 365)),
]

ANGEL_EYE: list[tuple[am.Message, e.Body]] = [
    (am.StartedMessage(), e.Booted(0, False)),
    (am.StandingByMessage(), e.StateChanged("STANDBY", "")),
    (am.CardDrawnMessage(0, 3, KING), e.CardDrawn(3, KING, "player")),
    (am.CardDrawnMessage(1, 3, KING), e.CardDrawn(3, KING, "banker")),
    (am.CardDrawnMessage(2, 1, KING), e.CardDrawn(1, KING, "burn")),
    (am.CardDrawnMessage(4, 0, KING), e.CardDrawn(0, KING, "first card")),
    (am.CardDrawnMessage(6, 0, KING), e.CardDrawn(0, KING, "0x06")),
    (am.CardDrawnMessage(5, 10, NONE), e.BurnStarted(10)),
    (am.CardDrawnMessage(0, 2, NONE), e.CardUnread(2, "player")),
    (am.CardDrawnMessage(0, 2, UNREAD), e.CardUnread(2, "player")),
    (am.CardReportedAgainMessage(0, 2, KING), e.CardReportedAgain(2, KING, "player")),
    (am.CardReportedAgainMessage(0, 2, NONE), e.CardReportedAgain(2, UNREAD, "player")),
    (am.CardDrawnOutsideMessage(0, 0, KING), e.DrawWhileLocked(KING)),
    (am.CardDrawnOutsideMessage(1, 0, NONE), e.CardDrawnOutside(UNREAD, "error")),
    (am.CardDrawnOutsideMessage(2, 0, KING), e.CardDrawnOutside(KING, "setup")),
    (am.CardDrawnOutsideMessage(7, 0, KING), e.CardDrawnOutside(KING, "mode 7")),
    (am.CutCardDrawnMessage(), e.CutCardSeen()),
    (am.GameResultMessage(1, True, False), e.ShoeResult("player, player pair")),
    (am.GameResultMessage(7, False, False), e.ShoeResult("forced end")),
    (am.ErrorRaisedMessage(True, 1), e.ShoeError(401, True, "card unreadable (401)")),
    (am.ErrorRaisedMessage(True, 2), e.Overdrawn(True)),
    (am.ErrorRaisedMessage(False, 3), e.ShoeError(406, False, "wrong button (406)")),
    (am.ErrorRaisedMessage(True, 4), e.CardPushedBack(True)),
    (am.ErrorRaisedMessage(False, 5), e.CardPulledBack(False)),
    (am.ErrorRaisedMessage(True, 6), e.ShoeError(407, True, "card code wrong (407)")),
    (am.ErrorRaisedMessage(True, 7), e.ShoeError(408, True, "draw too slow (408)")),
    (am.ErrorRaisedMessage(True, 40), e.ShoeError(0, True, "error 40")),
    (am.ErrorClearedMessage(4), e.ShoeErrorCleared(403, 0)),
    (am.ErrorClearedMessage(40), e.ShoeErrorCleared(0, 0)),
    (am.LockMovedMessage(True), e.ShoeLocked(True)),
    (am.SettingChangedMessage("01", "0008"), e.UnknownReported("setting 01 is now 0008")),
    (am.UnknownReportMessage("X", b"\x80"), e.UnknownReported("report 'X' of 1 bytes")),
    (am.TextMessage("OK"), e.UnknownReported("answer 'OK'")),
]

BEE_TEK: list[tuple[bm.Message, e.Body]] = [
    (bm.CardDrawnMessage("Game", KING), e.CardDrawn(None, KING, None)),
    (bm.CardDrawnMessage("manual burn cards", KING), e.CardDrawn(None, KING, "burn")),
    (bm.CardDrawnMessage("Test", KING), e.CardDrawn(None, KING, "Test")),
    (bm.CardNotReadMessage("Game"), e.CardUnread(None, None)),
    (bm.AlarmMessage("GameAlarm", "E3", "Card Not Read"), e.ShoeError(401, False, "E3 Card Not Read")),
    (bm.AlarmMessage("GameAlarm", "E9", "Door"), e.ShoeError(0, False, "E9 Door")),
    (bm.AlarmMessage("GameAlarm", "", "Door"), e.ShoeError(0, False, "Door")),
    (bm.WarnedMessage("", 1), e.UnknownReported("warning 0x01")),
    (bm.UnknownItemMessage("Game", "Shoe Empty"), e.UnknownReported("[Game]<Shoe Empty>")),
]
