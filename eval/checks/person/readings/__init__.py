"""Generous readings: whatever a figure of the reader's orders may mean by what is named near it, and an accusation where none of it is so."""
