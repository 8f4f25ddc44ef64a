"""What keeps a store healthy? Work that may run at any time, may be killed at any time and may run twice."""
