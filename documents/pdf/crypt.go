package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // what PDF encrypts with is not ours to choose
	"crypto/rc4" //nolint:gosec // see above
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"slices"

	"portside/documents"
)

// crypt decrypts a file that opens without a password: it has one for changing only, which nobody does here.
type crypt struct {
	key             []byte
	ofStrings       cipherKind
	ofStreams       cipherKind
	revision, flags int
	plainMetadata   bool
	owner, user     []byte // what the file keeps of the passwords
	id              []byte
}

type cipherKind int

const (
	plain cipherKind = iota
	rc4Cipher
	aesCipher    // with a key for each object
	aesOfOneFile // with one key for all
)

// padding stands for the empty password.
const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08" +
	"\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// unlock prepares decryption; ErrEncrypted for a file that needs a password.
func (f *file) unlock() error {
	f.crypt = nil
	d := f.dict(f.trailer["Encrypt"])
	if d == nil {
		return nil
	}
	c := &crypt{
		revision: int(f.number(d["R"], 0)), flags: int(f.number(d["P"], 0)), plainMetadata: f.resolve(d["EncryptMetadata"]) == false,
		owner: f.bytes(d["O"]), user: f.bytes(d["U"]),
	}
	if ids := f.array(f.trailer["ID"]); len(ids) > 0 {
		c.id = f.bytes(ids[0])
	}
	length := int(f.number(d["Length"], 40)) / 8
	switch int(f.number(d["V"], 0)) {
	case 1:
		length, c.ofStrings, c.ofStreams = 5, rc4Cipher, rc4Cipher
	case 2:
		c.ofStrings, c.ofStreams = rc4Cipher, rc4Cipher
	case 4:
		length = 16
		c.ofStrings, c.ofStreams = f.cipherOf(d, "StrF"), f.cipherOf(d, "StmF")
	case 5:
		c.ofStrings, c.ofStreams = f.cipherOf(d, "StrF"), f.cipherOf(d, "StmF")
	default:
		return documents.ErrEncrypted
	}
	if f.name(d["Filter"]) != "Standard" || !c.open(length, f.bytes(d["UE"])) {
		return documents.ErrEncrypted
	}
	f.crypt = c
	clear(f.known) // their strings are not decrypted
	return nil
}

func (f *file) bytes(o any) []byte {
	s, _ := f.resolve(o).(literal)
	return []byte(s)
}

// cipherOf is that of a named crypt filter.
func (f *file) cipherOf(d dict, use string) cipherKind {
	filter := f.dict(f.dict(d["CF"])[f.name(d[use])])
	switch f.name(filter["CFM"]) {
	case "V2":
		return rc4Cipher
	case "AESV2":
		return aesCipher
	case "AESV3":
		return aesOfOneFile
	}
	return plain
}

// open finds the key, and reports whether the empty password is right.
func (c *crypt) open(length int, wrapped []byte) bool {
	if c.revision >= 5 {
		return c.openWhole(wrapped)
	}
	if length < 5 || length > 16 || len(c.owner) < 32 || len(c.user) < 16 {
		return false
	}
	flags := binary.LittleEndian.AppendUint32(nil, uint32(c.flags)) //nolint:gosec // they are 32 bits
	seed := slices.Concat([]byte(padding), c.owner[:32], flags, c.id)
	if c.revision >= 4 && c.plainMetadata {
		seed = append(seed, 0xff, 0xff, 0xff, 0xff)
	}
	sum := md5.Sum(seed) //nolint:gosec // see the import
	if c.revision >= 3 {
		for range 50 {
			sum = md5.Sum(sum[:length]) //nolint:gosec // see the import
		}
	}
	c.key = slices.Clone(sum[:length])
	if c.revision == 2 {
		return bytes.Equal(withRC4(c.key, []byte(padding)), c.user[:min(32, len(c.user))])
	}
	check := md5.Sum(slices.Concat([]byte(padding), c.id)) //nolint:gosec // see the import
	proof := check[:]
	for i := range byte(20) {
		key := slices.Clone(c.key)
		for j := range key {
			key[j] ^= i
		}
		proof = withRC4(key, proof)
	}
	return bytes.Equal(proof, c.user[:16])
}

// openWhole is open for AES with keys of 256 bits.
func (c *crypt) openWhole(wrapped []byte) bool {
	if len(c.user) < 48 || len(wrapped) < 32 {
		return false
	}
	hash := hardened
	if c.revision == 5 {
		hash = func(salt []byte) []byte { sum := sha256.Sum256(salt); return sum[:] }
	}
	if !bytes.Equal(hash(c.user[32:40]), c.user[:32]) {
		return false
	}
	c.key = uncbc(hash(c.user[40:48]), make([]byte, aes.BlockSize), wrapped[:32])
	return true
}

// hardened is the hash of the empty password that is made slow on purpose.
func hardened(salt []byte) []byte {
	sum := sha256.Sum256(salt)
	key := sum[:]
	for round := 0; ; round++ {
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			return nil
		}
		text := bytes.Repeat(key, 64)
		cipher.NewCBCEncrypter(block, key[16:32]).CryptBlocks(text, text)
		remainder := 0
		for _, c := range text[:16] {
			remainder += int(c)
		}
		switch remainder % 3 {
		case 0:
			sum := sha256.Sum256(text)
			key = sum[:]
		case 1:
			sum := sha512.Sum384(text)
			key = sum[:]
		case 2:
			sum := sha512.Sum512(text)
			key = sum[:]
		}
		if round >= 63 && int(text[len(text)-1]) <= round+1-32 {
			return key[:32]
		}
	}
}

// strings is what decrypts the strings of an object, or nil.
func (c *crypt) strings(owner reference) func([]byte) []byte {
	if c == nil || c.ofStrings == plain {
		return nil
	}
	return func(data []byte) []byte { return c.decrypt(c.ofStrings, owner, data) }
}

// stream decrypts the data of a stream.
func (c *crypt) stream(owner reference, data []byte) []byte {
	if c == nil || c.ofStreams == plain || owner.number == 0 {
		return data
	}
	return c.decrypt(c.ofStreams, owner, data)
}

func (c *crypt) decrypt(kind cipherKind, owner reference, data []byte) []byte {
	key := c.key
	if kind != aesOfOneFile {
		n, g := owner.number, owner.generation
		seed := append(slices.Clone(key), byte(n), byte(n>>8), byte(n>>16), byte(g), byte(g>>8))
		if kind == aesCipher {
			seed = append(seed, "sAlT"...)
		}
		sum := md5.Sum(seed) //nolint:gosec // see the import
		key = sum[:min(len(key)+5, 16)]
	}
	if kind == rc4Cipher {
		return withRC4(key, data)
	}
	if len(data) < 2*aes.BlockSize {
		return nil
	}
	text := uncbc(key, data[:aes.BlockSize], data[aes.BlockSize:])
	if padded := int(text[len(text)-1]); padded <= aes.BlockSize {
		text = text[:len(text)-padded]
	}
	return text
}

// withRC4 decrypts; encrypting is the same.
func withRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key) //nolint:gosec // see the import
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// uncbc decrypts whole blocks; what is cut short is left out.
func uncbc(key, iv, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return make([]byte, 1)
	}
	out := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data[:len(out)])
	return out
}
