"""Workload kinds: how a dataset is made, what clients do, how an execution is checked.

A kind is a package with ``STUDY``, the class of its studies (``config.study.study_class``),
``SCHEMAS``, the models of its files by name, and a module ``kind`` with ``KIND``, what it does
(``design.kinds.kind_named``); it may have a module
``commands`` with ``COMMANDS`` for the command line. Kinds are found by their names and may use all
other rooms; nothing outside imports them, so that a kind that is deleted is only missed by its own
studies.
"""
