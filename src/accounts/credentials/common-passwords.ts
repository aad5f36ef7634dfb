/** Passwords of twelve characters or more that lists of leaked ones hold again and again, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
    0123456789ab 0123456789abc 0987654321qwerty 1029384756qwerty 111111111111 112233445566 123123123123 123321123321
    123456123456 1234567890-= 123456789012 1234567890123 12345678901234 123456789012345 1234567890123456
    1234567890qwerty 1234567890qwertyuiop 1234567891011 123456789101112 123456789abc 123456789abcdef 123456789qwe
    123456789qwer 123456789qwerty 123456abcdef 123456qwerty 123456qwertyuiop 1234qwerasdf 1234qwerasdfzxcv
    123abc123abc 123qweasdzxc 147258369000 147258369147 159357258456 159753456852 1a2b3c4d5e6f 1a2s3d4f5g6h
    1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc
    1qaz2wsx3edc4rfv 1qaz@wsx3edc 1qazxsw23edc 1qazxsw23edcvfr4 741852963000 741852963741 789456123000 789456123789
    963852741000 987654321000 987654321098 9876543210987 a1b2c3d4e5f6 a1s2d3f4g5h6 aaaaaaaaaaaa abababababab
    abc123456789 abc123abc123 abcd12345678 abcdabcdabcd abcdef123456 abcdefg12345 abcdefgh12345678 abcdefghijkl
    abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz accessdenied admin123456789 admin@123456
    adminadminadmin administrator administrator1 adminpassword aerosmith123 alexander123 alexandria123 allahisgreat
    allahuakbar1 alwaysandforever alwaysforever andromeda123 angelangel12 anonymous123 approvedaccess arsenalfc123
    asdasdasdasd asdf1234asdf asdfasdfasdf asdfghjkl123 asdfghjkl1234 asdfghjklzxcvbnm asdfjkl;asdf asdfqwer1234
    azerty123456 azertyuiop12 azertyuiop123 babygirl1234 babygirl2000 barcelona123 barcelona2010 baseball1234
    basketball12 basketball123 batman123456 beautifulgirl believeinyou bestfriends1 bestfriends4ever bigdaddy1234
    bismillah123 bismillah786 blackandwhite blackberry12 blackberry123 blink182blink bluebluebleu brokenheart1
    brooklyn1234 buttercup123 butterfly123 butterfly1234 california12 california123 catherine123 catsanddogs1
    champion1234 changeme1234 changeme12345 changemenow1 changemeplease charlie12345 cheerleader1 chelseafc123
    chicago12345 chocolate123 chocolate1234 christian123 christopher1 christopher123 cinderella12 cinderella123
    cocacola1234 computer1234 computer12345 confidential contrasena123 contraseña123 correcthorsebatterystaple
    cowboys12345 daddysgirl12 daddyslittlegirl dallascowboys database1234 default12345 defaultpassword deutschland1
    diamond12345 dolphin12345 donotenter123 dontforget12 dragon123456 dragonballgt dragonballz1 dragonballz123
    dreamcatcher elizabeth123 emergency911 england12345 everything12 excalibur123 facebook1234 facebook123456
    familyfirst1 ferrari12345 football1234 football12345 football123456 forever12345 foreverandalways foreverandever
    foreveryoung forgetmenot1 freedom12345 freedom123456 fuckyou12345 fuckyou123456 fuckyoufuckyou gangster1234
    generation123 gfhjkmgfhjkm ghbdtnghbdtn godisgood123 godisgreat12 godislove123 goldfish1234 goodluck1234
    goodmorning1 google123456 grandmother1 greenday1234 guest1234567 guitarhero12 hahahahahaha harrypotter1
    harrypotter123 heaven123456 hello1234567 hellohello12 hellohellohello hellokitty12 hellokitty123 helloworld12
    helloworld123 helpmeplease hollywood123 homesweethome honeymoon123 houston12345 hunter2hunter2 icecream1234
    ilovechocolate ilovegod1234 ilovejesus12 ilovejesus123 iloveme12345 ilovemyfamily ilovemymom12 ilovemymother
    ilovemyself1 iloveyou1234 iloveyou12345 iloveyou123456 iloveyouall1 iloveyoubaby iloveyouforever iloveyousomuch
    imtheboss123 india1234567 internet1234 internet12345 inuyasha1234 jackass12345 jamesbond007 jasmine12345
    jehovahjireh jennifer1234 jessica12345 jesuschrist1 jesuschrist123 jesusislord1 jesuslovesme jesuslovesyou
    jonasbrothers jordan123456 jordan232323 justdoit1234 justinbieber justinbieber1 juventus1897 killer123456
    kingkong1234 kissmyass123 knowledge123 kristina1234 lakers242424 letmein12345 letmein123456 letmeinletmein
    letmeinplease linkedin1234 linkinpark12 linkinpark123 liverpool123 liverpool1892 liverpoolfc1 login1234567
    lollipop1234 loveislove12 lovelovelove lovemeforever loveyouforever loveyourself lucky7777777 manchester12
    manchesterunited manutd123456 marlboro1234 master123456 masterkey123 matrix123456 mercedes1234 metallica123
    michael12345 michelle1234 microsoft123 minecraft123 monkey123456 monkeymonkey morning12345 motdepasse123
    motherfucker motherfucker1 mustang12345 mynameismyname mypassword12 mypassword123 mypassword1234 myspace12345
    naruto123456 nevergiveup1 newpassword1 newpassword12 newpassword123 newyork12345 nirvana12345 nopassword12
    notapassword nothing12345 onelove12345 onepiece1234 onetwothree4 onetwothreefour opensesame12 opensesame123
    p@$$w0rd1234 p@ssw0rd1234 p@ssw0rd2024 p@ssw0rd2025 p@ssword1234 pa$$word1234 pa55word1234 paramore1234
    parola123456 pass1234pass passpasspass passphrase123 passw0rd1234 password!123 password1234 password12345
    password123456 password1234567 password12345678 password123456789 password1234567890 password2020 password2021
    password2022 password2023 password2024 password2025 password2026 password@123 passwordpassword passwort1234
    patrick12345 peanutbutter peanutbutter1 phoenix12345 playboy12345 playstation1 playstation2 playstation3
    playstation4 pleaseletmein pokemon12345 pokemon123456 postgres1234 princess1234 princess12345 privacy12345
    proverbs3:5-6 q1w2e3r4t5y6 q1w2e3r4t5y6u7 q1w2e3r4t5y6u7i8 qazqazqazqaz qazwsxedc123 qazwsxedcrfv
    qazwsxedcrfvtgb qqqqqqqqqqqq qwe123qwe123 qweasdqweasd qweasdzxc123 qweqweqweqwe qwer1234asdf qwer1234qwer
    qwerasdfzxcv qwertasdfgzxcvb qwerty123456 qwerty12345678 qwerty123456789 qwerty1234567890 qwertyqwerty
    qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopasdfgh qwertyuiopasdfghjkl
    qwertyuiopasdfghjklzxcvbnm qwertz123456 qwertzuiop12 realmadrid10 realmadrid12 realmadrid123 redhotchilipeppers
    remember1234 rockandroll1 rockstar1234 ronaldinho10 ronaldo12345 root12345678 rootrootroot runescape123
    samantha1234 samsung12345 scoobydoo123 secret123456 secretpassword security1234 shadow123456 silverado123
    skateboard12 skyline12345 slipknot1234 snickers1234 snowboarding soccer123456 southside123 spiderman123
    spongebob123 spongebobsquarepants stargate1234 starwars1234 starwars12345 strawberry12 strawberry123
    success12345 summer123456 summertime12 sunflower123 sunshine1234 sunshine12345 superman1234 superman12345
    supernatural supersecret1 superstar123 superuser123 sweetheart12 sweetheart123 sysadmin1234 teddybear123
    temp12345678 temporary123 temppassword test12345678 testing12345 testpassword testtesttest thankyoujesus
    thebeatles12 thebestofthebest thematrix123 thisisapassword thisismypassword threedoors12 thunder12345
    tinkerbell12 tinkerbell123 tottenham123 toyota123456 trinity12345 trustno1trustno1 trustnoone12 twilight1234
    unbelievable undertaker12 united123456 university12 valentine123 vanilla12345 victoria1234 volleyball12
    volleyball123 watermelon12 watermelon123 welcome12345 welcome123456 welcome2024! welcome2025! welcomehome1
    welcometohell whatever1234 whateverman1 whoareyou123 william12345 winner123456 winter123456 wonderland12
    wordpass1234 wordpress123 worldofwarcraft wrestling123 xxxxxxxxxxxx yankees12345 yellow123456 youknowwho12
    zaq12wsxcde3 zaq1xsw2cde3 zxcvbnm12345 zxcvbnm123456 zxcvbnmzxcvbnm zzzzzzzzzzzz
`
    .trim()
    .split(/\s+/),
)

/** Words that a few digits and signs do not make into a password. */
export const commonWords: ReadonlySet<string> = new Set(
  `
    abc abcd abcdef access account admin administrator adminadmin asdf asdfgh asdfghjkl azerty azertyuiop baseball
    basketball battery changeme changepassword correcthorsebatterystaple default dragon football freedom guest hello
    helloworld iloveyou internet keepout letmein login loveme master monkey mypassword newpassword nopassword opensesame
    pass passphrase password passwort postgres princess qazwsx qazwsxedc qwer qwerasdf qwert qwerty qwertyuiop qwertz
    qwertzuiop root secret secretpassword security server shadow sunshine superman supersecret superuser sysadmin
    temppassword test testing testpassword toolbox toor trustno user username welcome welcomehome zxcvbn zxcvbnm
`
    .trim()
    .split(/\s+/),
)
