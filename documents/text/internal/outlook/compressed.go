package outlook

import "encoding/binary"

// dictionary is what the window of compressed rich text begins with.
const dictionary = "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor " +
	"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

// decompress unpacks compressed rich text ([MS-OXRTFCP]), at most limit bytes. It returns the part before damage.
func decompress(data []byte, limit int) []byte {
	const header, compressed, window = 16, 0x75465a4c, 4096
	if len(data) < header {
		return nil
	}
	if binary.LittleEndian.Uint32(data[8:]) != compressed {
		return data[header:]
	}
	var ring [window]byte
	at := copy(ring[:], dictionary)
	var out []byte
	put := func(c byte) {
		ring[at%window] = c
		at++
		out = append(out, c)
	}
	for data = data[header:]; len(data) > 0; {
		flags := data[0]
		data = data[1:]
		for bit := range 8 {
			switch isReference := flags>>bit&1 == 1; {
			case len(out) >= limit, len(data) == 0, isReference && len(data) < 2:
				return out
			case !isReference:
				put(data[0])
				data = data[1:]
			default:
				reference := int(data[0])<<8 | int(data[1])
				data = data[2:]
				from := reference >> 4
				if from == at%window {
					return out // the end
				}
				for i := range reference&0xf + 2 {
					put(ring[(from+i)%window])
				}
			}
		}
	}
	return out
}
