// Bytes as `hexdump -C` shows them. Pure.

const PER_LINE = 16;

export function hexLines(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += PER_LINE) {
    const row = [...bytes.slice(at, at + PER_LINE)];
    const digits = row.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const letters = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "·")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${digits.padEnd(PER_LINE * 3)} ${letters}`);
  }
  return lines;
}
