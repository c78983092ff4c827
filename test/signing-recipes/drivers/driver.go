// Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what Matches says of it and of another.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"recipe/signing"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), " ")
		values := make([]string, len(parts)-1)
		for index, part := range parts[1:] {
			bytes, _ := hex.DecodeString(strings.Trim(part, "-"))
			values[index] = string(bytes)
		}
		signature := ""
		if parts[0] == "fields" {
			signature = signing.SignFields(values[0], values[1], values[2], values[3:]...)
		} else {
			signature = signing.SignBody(values[0], []byte(values[2]), values[1])
		}
		other := "A" + signature[1:]
		if other == signature {
			other = "B" + signature[1:]
		}
		fmt.Println(signature, signing.Matches(signature, signature), signing.Matches(other, signature),
			signing.Matches("é", signature))
	}
}
