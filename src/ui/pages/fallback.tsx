import { Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Button, buttonClass } from '../components/button.tsx'
import { Loading, Logo } from '../components/logo.tsx'
import { MessageScreen } from '../components/page.tsx'
import { isUnreachable, reason } from '../data/api.ts'
import { useTitle } from '../navigation/title.ts'

/** The loading screen as a page with its own address. */
export function LoadingPage() {
  useTitle('Loading')
  return (
    <>
      <h1 className="sr">Loading</h1>
      <Loading />
    </>
  )
}

export function NotFoundPage() {
  useTitle('Wrong Page')
  return (
    <MessageScreen>
      <Logo size={64} />
      <h1>404</h1>
      <p>Page Not Found</p>
      <Link to="/" className={buttonClass()}>
        Back home
      </Link>
    </MessageScreen>
  )
}

/** Shown in place of a screen that could not be loaded. */
export const ScreenError = ({ error }: { error: unknown }) =>
  isUnreachable(error) ? <Unreachable why={reason(error)} /> : <FailPage error={error} />

function Unreachable({ why }: { why: string }) {
  useTitle(why)
  const router = useRouter()
  useEffect(() => {
    const retry = () => void router.invalidate()
    addEventListener('online', retry)
    return () => removeEventListener('online', retry)
  }, [router])
  return (
    <MessageScreen>
      <Logo size={64} />
      <h1>{why}</h1>
      <p>ToolBox can't be reached. Check your connection, then try again.</p>
      <Button onClick={() => void router.invalidate()}>Try again</Button>
    </MessageScreen>
  )
}

/** Shown if a screen itself throws an error. */
export function FailPage({ error }: { error?: unknown }) {
  useTitle('Failed')
  useEffect(() => {
    if (error) console.error(error)
  }, [error])
  return (
    <MessageScreen>
      <Logo size={64} />
      <h1>SOMETHING FAILED</h1>
      <p>Check console for error stack</p>
      <a className={buttonClass()} href="/">
        Back home
      </a>
    </MessageScreen>
  )
}
