import { Card } from '../../../web/ui/page.tsx'

export function About() {
  return (
    <Card>
      <h2>Every deploy in the channel, in order</h2>
    </Card>
  )
}
