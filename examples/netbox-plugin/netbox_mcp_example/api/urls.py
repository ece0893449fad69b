from django.urls import path
from netbox.api.routers import NetBoxRouter

from . import views

router = NetBoxRouter()
router.APIRootView = views.RootView

urlpatterns = [
    path('mcp/', views.ManifestView.as_view(), name='mcp'),
    path('sites/', views.SiteTools.as_view({'get': 'report'}), name='sites'),
    path('sites/exists/', views.SiteTools.as_view({'head': 'exists'}), name='site-exists'),
    path('journal/', views.JournalTools.as_view({'get': 'entries', 'post': 'add', 'delete': 'remove'}), name='journal'),
    *router.urls,
]
