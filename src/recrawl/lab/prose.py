"""Sentences for pages: enough of six languages that a page reads like one, with a place for a number in each."""

from recrawl.lab.chance import bits, pick

SENTENCES: dict[str, tuple[str, ...]] = {
    "en": (
        "The ferry to the north quay now leaves {n} minutes earlier than it did last autumn.",
        "Volunteers counted {n} herons along the river between the mill and the old lock.",
        "A baker on Canal Street has kept the same sourdough alive for {n} years.",
        "The library lends {n} fishing rods, and most of them come back untangled.",
        "Rain stopped the market at noon, but {n} stalls stayed open under their canvas.",
        "The night train carries {n} bicycles and a single very patient dog.",
        "Surveyors marked {n} chestnut trees that will stay when the road is widened.",
        "The choir rehearses on Tuesdays and needs {n} more tenors before the spring concert.",
        "Each lamp on the bridge was taken down, cleaned and numbered, {n} in all.",
        "The museum lowered its ticket to {n} crowns and doubled its Sunday visitors.",
        "Engineers replaced {n} metres of rail in one night and nobody missed a train.",
        "The town clock ran {n} seconds slow until a schoolgirl wrote to the council.",
        "Bees from the roof of the post office gave {n} jars of lime honey this summer.",
        "The swimming pool opens at six, when the water is {n} degrees and perfectly still.",
        "An atlas printed here {n} years ago was found in a cellar, dry and complete.",
        "The harbour master keeps a diary of fog; this page has {n} entries so far.",
        "Students repaired {n} radios in the old school and sold them at cost.",
        "The footpath over the moor is open again after {n} weeks of work.",
    ),
    "ko": (
        "북쪽 부두로 가는 배는 이제 {n}분 일찍 떠난다.",
        "자원봉사자들은 강가에서 왜가리 {n}마리를 세었다.",
        "시장 골목의 빵집은 {n}년째 같은 반죽을 이어 오고 있다.",
        "도서관은 낚싯대 {n}개를 빌려 주는데 대부분 온전히 돌아온다.",
        "정오에 비가 내렸지만 가게 {n}곳은 문을 닫지 않았다.",
        "밤 기차에는 자전거 {n}대와 얌전한 개 한 마리가 탔다.",
        "합창단은 봄 공연을 앞두고 단원 {n}명을 더 찾고 있다.",
        "다리 위의 등 {n}개를 모두 내려 닦고 번호를 붙였다.",
        "박물관은 입장료를 {n}원 내렸고 일요일 손님이 두 배로 늘었다.",
        "기술자들은 하룻밤 사이에 선로 {n}미터를 새로 깔았다.",
        "우체국 지붕의 벌들이 올여름 꿀 {n}병을 주었다.",
        "수영장은 아침 여섯 시에 열고 물의 온도는 {n}도이다.",
        "학생들은 낡은 라디오 {n}대를 고쳐 이웃에게 나누어 주었다.",
        "고갯길은 {n}주 동안의 공사를 마치고 다시 열렸다.",
        "마을 시계는 {n}초 늦었는데 한 초등학생이 그것을 알아냈다.",
        "안개 일기를 쓰는 항구 관리인은 오늘 {n}번째 쪽을 채웠다.",
    ),
    "ja": (
        "北の桟橋へ向かう船は、今月から{n}分早く出る。",
        "ボランティアが川沿いでサギを{n}羽数えた。",
        "運河通りのパン屋は、同じ酵母を{n}年間育てている。",
        "図書館は釣り竿を{n}本貸し出し、ほとんどが無事に戻ってくる。",
        "正午に雨が降ったが、{n}軒の店はそのまま開いていた。",
        "夜行列車には自転車{n}台と、おとなしい犬が一匹乗っている。",
        "合唱団は春の演奏会までに、あと{n}人の歌い手を探している。",
        "橋の灯りは{n}個すべて外され、磨かれ、番号が付けられた。",
        "美術館は入場料を{n}円下げ、日曜日の来館者が倍になった。",
        "技術者たちは一晩で線路を{n}メートル取り替えた。",
        "郵便局の屋上の蜂は、この夏{n}瓶の蜜を分けてくれた。",
        "プールは朝六時に開き、水温は{n}度である。",
        "生徒たちは古いラジオを{n}台直し、近所の人に配った。",
        "峠の道は{n}週間の工事を終えて、また通れるようになった。",
        "町の時計は{n}秒遅れていたが、小学生がそれに気づいた。",
        "霧の日記をつける港長は、今日{n}ページ目を書き終えた。",
    ),
    "zh": (
        "开往北码头的渡船从本月起提前{n}分钟出发。",
        "志愿者沿着河岸数到了{n}只苍鹭。",
        "运河街的面包师把同一份酵母养了{n}年。",
        "图书馆出借{n}根鱼竿，大多数都完好归还。",
        "中午下雨了，但是仍有{n}个摊位没有收起来。",
        "夜班火车上有{n}辆自行车和一只很安静的狗。",
        "合唱团在春季音乐会之前还需要{n}名歌手。",
        "桥上的灯一共{n}盏，全部取下擦净并编了号。",
        "博物馆把门票降低了{n}元，星期天的客人增加了一倍。",
        "工程师一夜之间更换了{n}米铁轨。",
        "邮局屋顶上的蜜蜂今年夏天产了{n}瓶蜂蜜。",
        "游泳池早上六点开门，水温是{n}度。",
        "学生们修好了{n}台旧收音机，送给了邻居。",
        "山路经过{n}个星期的施工后重新开放。",
    ),
    "de": (
        "Die Fähre zum Nordkai fährt jetzt {n} Minuten früher.",
        "Freiwillige zählten {n} Reiher zwischen der Mühle und der alten Schleuse.",
        "Der Bäcker an der Brücke hält seinen Sauerteig seit {n} Jahren am Leben.",
        "Die Bücherei verleiht {n} Angeln, und fast alle kommen heil zurück.",
        "Mittags regnete es, doch {n} Stände blieben geöffnet.",
        "Im Nachtzug fahren {n} Fahrräder und ein sehr geduldiger Hund.",
        "Der Chor sucht vor dem Frühlingskonzert noch {n} Stimmen.",
        "Über Nacht wurden {n} Meter Gleis erneuert, ohne dass ein Zug ausfiel.",
        "Die Bienen auf dem Dach der Post gaben {n} Gläser Lindenhonig.",
        "Der Weg über das Moor ist nach {n} Wochen wieder offen.",
    ),
    "ru": (
        "Паром к северному причалу теперь уходит на {n} минут раньше.",
        "Добровольцы насчитали у реки {n} цапель.",
        "Пекарь на Канальной улице хранит свою закваску уже {n} лет.",
        "Библиотека выдаёт {n} удочек, и почти все возвращаются целыми.",
        "В полдень пошёл дождь, но {n} лавок остались открытыми.",
        "В ночном поезде едут {n} велосипедов и одна терпеливая собака.",
        "Хору перед весенним концертом нужны ещё {n} голосов.",
        "За ночь заменили {n} метров рельсов, и ни один поезд не опоздал.",
        "Пчёлы с крыши почты дали {n} банок липового мёда.",
        "Тропа через болото снова открыта после {n} недель работ.",
    ),
}

TITLES: dict[str, tuple[str, ...]] = {
    "en": ("Harbour notes", "River diary", "Market news", "Railway letters", "Library corner", "Garden report"),
    "ko": ("항구 소식", "강가 일기", "시장 이야기", "철길 편지", "도서관 한쪽", "정원 보고"),
    "ja": ("港だより", "川辺の日記", "市場の話", "鉄道の手紙", "図書館の隅", "庭の報告"),
    "zh": ("港口消息", "河边日记", "市场新闻", "铁路来信", "图书馆一角", "花园报告"),
    "de": ("Hafenblatt", "Flusstagebuch", "Marktnachrichten", "Bahnbriefe", "Bücherecke", "Gartenbericht"),
    "ru": ("Вести порта", "Речной дневник", "Новости рынка", "Письма с дороги", "Уголок чтения", "Отчёт сада"),
}

WORDS: dict[str, dict[str, str]] = {
    "en": {"edition": "Edition", "price": "Price", "reviews": "Reviews", "items": "items on the shelf"},
    "ko": {"edition": "판", "price": "값", "reviews": "평가", "items": "개 상품"},
    "ja": {"edition": "版", "price": "価格", "reviews": "感想", "items": "点の商品"},
    "zh": {"edition": "版", "price": "价格", "reviews": "评论", "items": "件商品"},
    "de": {"edition": "Ausgabe", "price": "Preis", "reviews": "Meinungen", "items": "Artikel im Regal"},
    "ru": {"edition": "Выпуск", "price": "Цена", "reviews": "Отзывы", "items": "товаров на полке"},
}

ADVERTS = (
    "Umbrellas mended while you wait.",
    "Learn the accordion in twelve evenings.",
    "Fresh walnuts, delivered by boat.",
    "Your chimney, swept by Thursday.",
    "Hats for large heads, at last.",
    "Kites for hire, wind not included.",
    "The quiet hotel beside the quiet lake.",
)


def sentence(language: str, key: int, place: int, index: int, step: int = 0) -> str:
    """One sentence for a key, a place and an index; different steps give different sentences."""
    chance = bits(key, place, index)
    choices = SENTENCES[language]
    number = 2 + (chance >> 32 + 5 * step) % 97
    return choices[(chance + step) % len(choices)].replace("{n}", str(number))


def paragraph(language: str, key: int, place: int, revision: int) -> str:
    """Five sentences that belong to one revision of one paragraph."""
    joint = "" if language in ("ja", "zh") else " "
    return joint.join(sentence(language, key, place, revision, step) for step in range(5))


def title(language: str, key: int) -> str:
    return f"{pick(TITLES[language], key, 2)} {1 + bits(key, 3) % 900}"
