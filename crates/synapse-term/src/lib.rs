//! Screen, frame, reading, prompt, reply: what a wrapped program shows and means. Pure.
