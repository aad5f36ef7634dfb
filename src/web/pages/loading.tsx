import { useTitle } from '../title.ts'
import { Loading } from '../ui/logo.tsx'

/** The screen of every wait, at an address of its own. */
export function LoadingPage() {
  useTitle('Loading')
  return <Loading />
}
