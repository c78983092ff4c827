<?php
// Reads cases from stdin, one a line (see ../cases.ts); writes the signature and what `matches` says of it and of another.
require __DIR__ . '/signing.php';

while (($line = fgets(STDIN)) !== false) {
    [$kind, $secret, $second, $rest] = array_pad(explode(' ', trim($line), 4), 4, '');
    $bytes = fn (string $hex): string => $hex === '-' ? '' : hex2bin($hex);
    $values = $rest === '' ? [] : array_map($bytes, explode(' ', $rest));
    $signature = $kind === 'fields'
        ? sign_fields($bytes($secret), $bytes($second), ...$values)
        : sign_body($bytes($secret), $values[0], $bytes($second));
    $other = ($signature[0] === 'A' ? 'B' : 'A') . substr($signature, 1);
    $said = array_map('json_encode', [matches($signature, $signature), matches($other, $signature), matches('é', $signature)]);
    echo implode(' ', [$signature, ...$said]), "\n";
}
