"""Settings of torch.fx."""

disable_progress = True
"""Whether Interpreter shows no progress bar; one needs the package `tqdm`."""

verbose_progress = False
"""Whether the progress bar also shows the node that runs."""

do_not_emit_stack_traces = False
"""Whether `print_readable` leaves out which lines the nodes come from."""
