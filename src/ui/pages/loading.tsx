import { Loading } from '../components/logo.tsx'
import { useTitle } from '../navigation/title.ts'

/** The screen of every wait, at an address of its own. */
export function LoadingPage() {
  useTitle('Loading')
  return <Loading />
}
