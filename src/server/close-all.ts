/** Closes one after the other; what fails does not keep the rest from finishing. Throws what failed first. */
export async function closeAll(closers: readonly (() => unknown)[]): Promise<void> {
  const failed: unknown[] = []
  for (const close of closers) {
    try {
      await close()
    } catch (error) {
      failed.push(error)
    }
  }
  if (failed.length > 0) throw failed[0]
}
