export function saveFile(parts: readonly BlobPart[], { name, type }: { name: string; type: string }): void {
  const href = URL.createObjectURL(new Blob([...parts], { type }))
  Object.assign(document.createElement('a'), { href, download: name }).click()
  // Revoked late, because the browser has to start the download first.
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
