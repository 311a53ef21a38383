//! Tasks, messages and artifacts: the domain of the network side. Pure.
