import { CallError, reason } from '../../ui/data/api.ts'

const byName: Record<string, string> = {
  NotAllowedError: 'This was canceled or took too long. Nothing has changed.',
  InvalidStateError: 'This device already has a passkey for your account.',
  SecurityError: "Passkeys don't work at this address. Open ToolBox at its own address.",
}

/** The message for a failed passkey: the server's reason, or one for the browser's error. */
export const passkeyReason = (error: Error): string =>
  error instanceof CallError ? reason(error) : (byName[error.name] ?? "Your browser couldn't use a passkey.")
