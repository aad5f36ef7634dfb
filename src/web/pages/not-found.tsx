import { Link } from '@tanstack/react-router'
import { useTitle } from '../title.ts'
import { buttonClass } from '../ui/button.tsx'
import { Logo } from '../ui/logo.tsx'
import { Void } from '../ui/page.tsx'

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
