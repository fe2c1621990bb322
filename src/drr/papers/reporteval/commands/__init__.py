"""The command `drr judges align`."""
