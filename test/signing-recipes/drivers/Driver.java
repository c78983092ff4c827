import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.HexFormat;

/** Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what `matches` says of it and of another. */
public final class Driver {
    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] parts = line.split(" ");
            byte[][] bytes = Arrays.stream(parts).skip(1).map(Driver::bytesOf).toArray(byte[][]::new);
            String[] texts = Arrays.stream(bytes).map(value -> new String(value, UTF_8)).toArray(String[]::new);
            String signature = parts[0].equals("fields")
                    ? Signing.signFields(texts[0], texts[1], texts[2], Arrays.copyOfRange(texts, 3, texts.length))
                    : Signing.signBody(texts[0], bytes[2], texts[1]);
            String other = (signature.startsWith("A") ? "B" : "A") + signature.substring(1);
            System.out.println(signature + " " + Signing.matches(signature, signature)
                    + " " + Signing.matches(other, signature) + " " + Signing.matches("\u00e9", signature));
        }
    }

    private static byte[] bytesOf(String hex) {
        return hex.equals("-") ? new byte[0] : HexFormat.of().parseHex(hex);
    }
}
