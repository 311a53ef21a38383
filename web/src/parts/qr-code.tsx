// A text as a QR code. The encoder is loaded when one is first shown.

import { useEffect, useState } from "preact/hooks";
import { t } from "../text";

export function QrCode({ text }: { text: string }) {
  const [cells, setCells] = useState<boolean[][] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void import("uqr").then(({ encode }) => isCurrent && setCells(encode(text, { border: 2 }).data));
    return () => {
      isCurrent = false;
    };
  }, [text]);
  if (!cells) return null;
  const path = cells.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return (
    <svg class="qr" viewBox={`0 0 ${cells.length} ${cells.length}`} role="img" aria-label={t("devices.qr")} shape-rendering="crispEdges">
      <rect width="100%" height="100%" fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
