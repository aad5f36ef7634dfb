import { useEffect, useState } from 'react'

const name = 'toolbox.refusal'

/** Why a sign-in was refused, from the short-lived cookie that came with the refusal. */
function told(): string | undefined {
  const cookie = document.cookie.split('; ').find((part) => part.startsWith(`${name}=`))
  try {
    return (cookie && decodeURIComponent(cookie.slice(name.length + 1))) || undefined
  } catch {
    return undefined
  }
}

/** The sentence a refusal left for this visit alone: a later one finds nothing. */
export function useRefusal(): string | undefined {
  const [sentence] = useState(told)
  useEffect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: plain http has no cookie store
    document.cookie = `${name}=; Path=/; Max-Age=0; SameSite=Lax`
  }, [])
  return sentence
}
