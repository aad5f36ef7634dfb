import { queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { titleOf } from '../../../shared/title.ts'
import { call } from '../../../ui/data/call.ts'
import { keepaliveNames } from '../terms.ts'
import { formatExpiry } from './certificate.ts'
import { FreeHoursItems } from './hours.tsx'
import css from './soon.module.css'

const { id: topic } = keepaliveNames
/** The certificates that expire soon; none if the call fails. */
const certificatesQuery = queryOptions({
  queryKey: ['entries', topic, 'certificates'],
  queryFn: () => call('GET /api/v1/keepalive/certificates', undefined).catch(() => []),
  meta: { quiet: true, about: { topic, outlastsRuns: true } },
})

export function Soon() {
  const { data } = useSuspenseQuery(certificatesQuery)
  return (
    <>
      {data.map((certificate) => (
        <li key={certificate.id} className={css.certificate}>
          <TriangleAlert size={15} aria-hidden="true" />
          <span>
            Certificate of{' '}
            <Link to={`/tools/${topic}/modify`} search={{ id: certificate.id }} dir="auto">
              {titleOf(certificate)}
            </Link>{' '}
            {formatExpiry(certificate)}
          </span>
        </li>
      ))}
      <FreeHoursItems />
    </>
  )
}
