"""What is said to ``ip``, ``tc`` and ``iptables``."""

from modelstress.hosts import Disturbance, Link, network_commands


def test_a_link_without_limits_is_left_alone():
    assert network_commands.shaped("eth0", Link()) == [] and str(Link()) == "not shaped"


def test_rates_are_token_buckets_of_at_least_three_packets():
    [line] = network_commands.shaped("eth0", Link(mbit_s=100))
    assert line == "qdisc add dev eth0 root handle 2: tbf rate 100mbit burst 6250b latency 50ms"
    [slow] = network_commands.shaped("eth0", Link(mbit_s=1))
    assert "burst 4000b" in slow


def test_delay_and_loss_come_before_the_rate():
    delayed, limited = network_commands.shaped("eth0", Link(10, 5, 1))
    assert delayed.startswith("qdisc add dev eth0 root handle 1: netem")
    assert delayed.endswith("delay 5ms loss 1%") and "parent 1: handle 2: tbf" in limited
    assert str(Link(10, 5, 1)) == "10 Mbit/s, 5 ms delay, 1 % loss"


def test_what_is_begun_is_ended_by_the_same_rule():
    fault = Disturbance("drop", 20)
    begun, ended = network_commands.disturbing(fault), network_commands.calming(fault)
    assert (begun[1], ended[1]) == ("--append", "--delete") and begun[2:] == ended[2:]
    assert "0.200000" in begun


def test_hosts_have_addresses_of_their_own():
    assert len({network_commands.address(number) for number in range(50)}) == 50
