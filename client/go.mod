module portside/client

go 1.26.0
