import sys,json,gzip; sys.path.insert(0,"/work/shared/bench"); sys.path.insert(0,"/work/shared/bench/real"); sys.path.insert(0,"/root/rh2"); sys.path.insert(0,"/root/rh")
import h3,pickle,os
from scrapy_tps import prune
import scrapers as S
ts=[t for t in h3.tasks(["courts"]) if t[1] in("opinions__ag_example","opinions__dcd_example")]
for suite,case,hf,html,url,a in ts:
    p=prune(html.encode(),url=url or None,encoding="utf-8",settings={"TPS_STRATEGY":"auto"})
    b=h3.scrape((suite,html,a)); c=h3.scrape((suite,p.html,a))
    print(case,len(b),len(c),a.get("url"))
    if case.endswith("ag_example"):
        cs=[json.dumps(x,sort_keys=True) for x in c]
        for x in b:
            if json.dumps(x,sort_keys=True) not in cs: print("LOST",x)
        for x in c[:2]: print("HAS",x)
