// Package crypt decrypts files that open without a password (ISO 32000-1, 7.6; ISO 32000-2, 7.6.4).
//
// It implements the standard security handler in revisions 2 to 6. Such a file has an owner password
// that restricts changes, and an empty user password. A file that needs a user password is
// documents.ErrEncrypted.
package crypt

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" // PDF prescribes MD5 and RC4
	"crypto/rc4"
	"slices"

	"portside/documents"
	"portside/documents/pdf/internal/syntax"
)

// Handler decrypts the strings and streams of a file. A nil Handler leaves them unchanged.
type Handler struct {
	key             []byte
	strings, stream method
}

// method is an encryption method.
type method int

const (
	identity method = iota
	rc4Method
	aes128Method // AES in CBC mode, with a key for each object
	aes256Method // AES in CBC mode, with one key for the file
)

// New returns the handler that an encryption dictionary describes. fileID is the first element of the
// ID in the trailer. The strings of the dictionary must not have been decrypted.
func New(objects syntax.Resolver, encrypt syntax.Dict, fileID []byte) (*Handler, error) {
	h, keyBytes := methodsOf(objects, encrypt)
	if h == nil || objects.Name(encrypt["Filter"]) != "Standard" {
		return nil, documents.ErrEncrypted
	}
	p := parameters{
		revision:          objects.Int(encrypt["R"], 0),
		permissions:       objects.Int(encrypt["P"], 0),
		hasPlainMetadata:  objects.Resolve(encrypt["EncryptMetadata"]) == false,
		owner:             objects.Bytes(encrypt["O"]),
		user:              objects.Bytes(encrypt["U"]),
		userEncryptionKey: objects.Bytes(encrypt["UE"]),
		fileID:            fileID,
		keyBytes:          keyBytes,
	}
	key, ok := p.fileKey()
	if !ok {
		return nil, documents.ErrEncrypted
	}
	h.key = key
	return h, nil
}

// methodsOf returns a handler without a key, and the length of its key. The handler is nil for an
// unknown version.
func methodsOf(objects syntax.Resolver, encrypt syntax.Dict) (h *Handler, keyBytes int) {
	keyBytes = objects.Int(encrypt["Length"], 40) / 8
	switch objects.Int(encrypt["V"], 0) {
	case 1:
		return &Handler{strings: rc4Method, stream: rc4Method}, 5
	case 2:
		return &Handler{strings: rc4Method, stream: rc4Method}, keyBytes
	case 4:
		keyBytes = 16
	case 5:
	default:
		return nil, 0
	}
	return &Handler{
		strings: cryptFilter(objects, encrypt, "StrF"), stream: cryptFilter(objects, encrypt, "StmF"),
	}, keyBytes
}

// cryptFilter returns the method of the crypt filter that an entry of the encryption dictionary names.
func cryptFilter(objects syntax.Resolver, encrypt syntax.Dict, entry string) method {
	filter := objects.Dict(objects.Dict(encrypt["CF"])[objects.Name(encrypt[entry])])
	switch objects.Name(filter["CFM"]) {
	case "V2":
		return rc4Method
	case "AESV2":
		return aes128Method
	case "AESV3":
		return aes256Method
	}
	return identity
}

// Strings returns the function that decrypts the strings of an object, or nil if they are not
// encrypted.
func (h *Handler) Strings(owner syntax.Reference) func([]byte) []byte {
	if h == nil || h.strings == identity {
		return nil
	}
	return func(data []byte) []byte { return h.decrypt(h.strings, owner, data) }
}

// Stream decrypts the data of a stream.
func (h *Handler) Stream(owner syntax.Reference, data []byte) []byte {
	if h == nil || h.stream == identity || owner.Number == 0 {
		return data
	}
	return h.decrypt(h.stream, owner, data)
}

func (h *Handler) decrypt(m method, owner syntax.Reference, data []byte) []byte {
	key := h.key
	if m != aes256Method {
		key = objectKey(key, m, owner)
	}
	if m == rc4Method {
		return applyRC4(key, data)
	}
	if len(data) < 2*aes.BlockSize {
		return nil
	}
	text := decryptCBC(key, data[:aes.BlockSize], data[aes.BlockSize:])
	if padding := int(text[len(text)-1]); padding <= aes.BlockSize {
		text = text[:len(text)-padding]
	}
	return text
}

// objectKey derives the key of an object (ISO 32000-1, algorithm 1).
func objectKey(fileKey []byte, m method, owner syntax.Reference) []byte {
	n, g := owner.Number, owner.Generation
	seed := append(slices.Clone(fileKey), byte(n), byte(n>>8), byte(n>>16), byte(g), byte(g>>8))
	if m == aes128Method {
		seed = append(seed, "sAlT"...)
	}
	sum := md5.Sum(seed)
	return sum[:min(len(fileKey)+5, 16)]
}

// applyRC4 encrypts or decrypts data.
func applyRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// decryptCBC decrypts the whole blocks of data, and ignores an incomplete last block.
func decryptCBC(key, iv, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return make([]byte, 1)
	}
	out := make([]byte, len(data)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, data[:len(out)])
	return out
}
