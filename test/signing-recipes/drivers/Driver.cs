using System;
using System.Linq;
using System.Text;

// Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what Matches says of it and of another.
public static class Driver
{
    public static void Main()
    {
        for (var line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
        {
            var parts = line.Split(' ');
            var bytes = parts.Skip(1).Select(Bytes).ToArray();
            var texts = bytes.Select(Encoding.UTF8.GetString).ToArray();
            var signature = parts[0] == "fields"
                ? Signing.SignFields(texts[0], texts[1], texts[2], texts.Skip(3).ToArray())
                : Signing.SignBody(texts[0], bytes[2], texts[1]);
            var other = (signature.StartsWith("A", StringComparison.Ordinal) ? "B" : "A") + signature.Substring(1);
            var said = new[] { signature, other, "\u00e9" }.Select(text => Signing.Matches(text, signature) ? "true" : "false");
            Console.Out.WriteLine(signature + " " + string.Join(" ", said));
        }
    }

    private static byte[] Bytes(string hex) =>
        hex == "-" ? new byte[0] : Enumerable.Range(0, hex.Length / 2).Select(at => Convert.ToByte(hex.Substring(2 * at, 2), 16)).ToArray();
}
