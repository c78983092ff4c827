/** Such as `gameround 0.1.0`. The commands run by npm, which tells the version. */
export function ownVersion(): string {
  return `gameround ${process.env.npm_package_version ?? ''}`.trim();
}
