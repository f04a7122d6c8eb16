module portside/testclient

go 1.26.0
