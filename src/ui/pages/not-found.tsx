import { Link } from '@tanstack/react-router'
import { buttonClass } from '../components/button.tsx'
import { Logo } from '../components/logo.tsx'
import { Void } from '../components/page.tsx'
import { useTitle } from '../navigation/title.ts'

export function NotFoundPage() {
  useTitle('Wrong Page')
  return (
    <Void>
      <Logo size={64} />
      <h1>404</h1>
      <p>Page Not Found</p>
      <Link to="/" className={buttonClass()}>
        Back home
      </Link>
    </Void>
  )
}
