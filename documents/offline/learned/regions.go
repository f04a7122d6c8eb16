package learned

import "portside/documents/offline/scan"

// regions are the states of the United States and countries whose law contracts choose.
var regions = scan.LazySet(`
	alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
	indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
	nebraska nevada ohio oklahoma oregon
	pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming ontario quebec alberta england scotland wales ireland
	germany france spain italy portugal netherlands belgium switzerland austria poland romania sweden norway denmark finland luxembourg
	canada japan singapore australia israel india brazil mexico deutschland frankreich schweiz österreich españa italia polska românia sverige
	suisse belgique`)
