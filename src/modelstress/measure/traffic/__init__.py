"""What an execution puts on the wire: packets, connections, messages (docs/measuring.md).

A captured cell has one client thread, so that every packet belongs to one execution. Packets are
counted in a private network namespace (``namespace``, ``counter``); where there is none, a proxy
sees messages, though not packets (``proxy``). Both feed the same decoder (``decode``).
"""
