//! What one capture saw, in columns: no format, no derived number.
