// Files that go with a message.

import { bytes } from "../state/when";
import { t } from "../text";
import { Icon } from "./icon";

/** The hub takes 16 MiB in one request, and base64 makes three bytes four. */
const MOST_BYTES = 11_000_000;

export type Attached = { name: string; mimeType: string; bytes: string };

export async function readFiles(list: FileList): Promise<Attached[]> {
  const files = [...list];
  const sum = files.reduce((total, file) => total + file.size, 0);
  if (sum > MOST_BYTES) throw new Error(t("error.filesTooLarge", { most: bytes(MOST_BYTES) }));
  return Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mimeType: file.type || "application/octet-stream",
      bytes: await base64(file),
    })),
  );
}

function base64(file: File): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

export function AttachedFiles({ files, onRemove }: { files: Attached[]; onRemove: (index: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul class="attached">
      {files.map((file, index) => (
        <li key={`${index}${file.name}`} class="queue-chip">
          <Icon name="clip" />
          <span class="queue-text">{file.name}</span>
          <button type="button" class="icon-button small" aria-label={t("bar.removeFile", { name: file.name })} onClick={() => onRemove(index)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
