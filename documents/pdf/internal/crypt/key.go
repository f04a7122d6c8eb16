package crypt

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"slices"
)

// paddedPassword is the empty password, padded to 32 bytes (ISO 32000-1, algorithm 2).
const paddedPassword = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08" +
	"\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"

// parameters are the entries of an encryption dictionary that determine the key of the file.
type parameters struct {
	revision          int
	permissions       int
	hasPlainMetadata  bool
	owner, user       []byte // the entries O and U: hashes of the passwords
	userEncryptionKey []byte // the entry UE: the encrypted key of the file
	fileID            []byte
	keyBytes          int // the length of the key in revisions 2 to 4
}

// fileKey returns the encryption key of the file. It reports false if the empty user password does
// not open the file.
func (p parameters) fileKey() (key []byte, ok bool) {
	if p.revision >= 5 {
		return p.fileKey256()
	}
	length := p.keyBytes
	if length < 5 || length > 16 || len(p.owner) < 32 || len(p.user) < 16 {
		return nil, false
	}
	key = p.deriveKey(length)
	if p.revision == 2 {
		user := applyRC4(key, []byte(paddedPassword))
		return key, bytes.Equal(user, p.user[:min(32, len(p.user))])
	}
	return key, bytes.Equal(p.userHash(key), p.user[:16])
}

// deriveKey computes the key of revisions 2 to 4 (ISO 32000-1, algorithm 2).
func (p parameters) deriveKey(length int) []byte {
	permissions := binary.LittleEndian.AppendUint32(nil, uint32(p.permissions))
	seed := slices.Concat([]byte(paddedPassword), p.owner[:32], permissions, p.fileID)
	if p.revision >= 4 && p.hasPlainMetadata {
		seed = append(seed, 0xff, 0xff, 0xff, 0xff)
	}
	sum := md5.Sum(seed)
	if p.revision >= 3 {
		for range 50 {
			sum = md5.Sum(sum[:length])
		}
	}
	return slices.Clone(sum[:length])
}

// userHash computes the first 16 bytes of the entry U in revisions 3 and 4 (ISO 32000-1, algorithm 5).
func (p parameters) userHash(key []byte) []byte {
	sum := md5.Sum(slices.Concat([]byte(paddedPassword), p.fileID))
	hash := sum[:]
	for i := range byte(20) {
		roundKey := slices.Clone(key)
		for j := range roundKey {
			roundKey[j] ^= i
		}
		hash = applyRC4(roundKey, hash)
	}
	return hash
}

// fileKey256 returns the key of revisions 5 and 6 (ISO 32000-2, algorithm 2.A). The entry U holds a
// hash of 32 bytes, the validation salt and the key salt.
func (p parameters) fileKey256() (key []byte, ok bool) {
	if len(p.user) < 48 || len(p.userEncryptionKey) < 32 {
		return nil, false
	}
	hash := hardenedHash
	if p.revision == 5 {
		hash = func(salt []byte) []byte { sum := sha256.Sum256(salt); return sum[:] }
	}
	if !bytes.Equal(hash(p.user[32:40]), p.user[:32]) {
		return nil, false
	}
	iv := make([]byte, aes.BlockSize)
	return decryptCBC(hash(p.user[40:48]), iv, p.userEncryptionKey[:32]), true
}

// hardenedHash computes the hash of the empty password in revision 6 (ISO 32000-2, algorithm 2.B).
// Its many rounds make guessing passwords slow.
func hardenedHash(salt []byte) []byte {
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
