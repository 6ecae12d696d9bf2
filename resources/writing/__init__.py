"""What somebody writes: begun, merged three ways, reviewed, sent, refused."""
