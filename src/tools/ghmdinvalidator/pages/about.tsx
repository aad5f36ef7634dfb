import { useDefaultInterval } from '../../../web/server-config.ts'
import { every } from '../../../web/stamp.ts'
import { Card } from '../../../web/ui/page.tsx'
import css from './ghmdinvalidator.module.css'

export function About() {
  const usual = useDefaultInterval('ghmdinvalidator')
  return (
    <Card className={css.about}>
      <h2>Images that are never yesterday's</h2>
      <p>
        GitHub shows the images of a readme through a proxy that keeps a copy. A badge, a chart or a screenshot may have
        changed long ago, and visitors still see the old one. Register the page here and ToolBox asks the proxy to
        forget its copies{usual ? ` every ${every(usual)}` : ''}, so that the next visitor gets them anew.
      </p>
      <p>
        Profiles, repositories, files, wikis, gists and issues work, as long as everybody may see them. Each entry also
        has an address of its own to call after a release.
      </p>
    </Card>
  )
}
