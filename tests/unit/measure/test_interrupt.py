"""Signals as flags, also of a context inside another one."""

import os
import signal

import pytest

from modelstress.measure.interrupt import Interrupt, InterruptedRunError


def test_a_signal_is_seen_when_somebody_looks():
    with Interrupt() as interrupt:
        interrupt.check()
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(InterruptedRunError, match="SIGTERM"):
            interrupt.check()


def test_what_an_inner_context_was_told_is_not_forgotten():
    with Interrupt() as outer:
        with pytest.raises(ValueError, match="something else"), Interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            raise ValueError("something else, before anybody looked")
        with pytest.raises(InterruptedRunError, match="SIGINT"):
            outer.check()


def test_the_handlers_before_come_back():
    before = signal.getsignal(signal.SIGINT)
    with Interrupt() as outer, Interrupt() as inner:
        assert signal.getsignal(signal.SIGINT) == inner._handle
    assert signal.getsignal(signal.SIGINT) is before and outer.signum is None
